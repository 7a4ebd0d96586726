import {
  type AnnotationRow,
  decodeRows,
  decodeShape,
  decodeTrack,
  encodeTag,
  rowColumns,
  rowLinesHeader,
} from '@reticle/contracts/row-lines'
import { factsOf, frameOf, labelOf } from '@reticle/contracts/testing/records'
import { forbidden } from '@reticle/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { OperationServices } from '../operations/operation.ts'
import { importWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { authorityOf, bytesAnswer, jsonLinesOf, servicesOf } from '../testing/services.ts'
import { importAnnotations } from './import-annotations.ts'

const store = await testStore()
const { blobs } = store
const facts = factsOf({
  size: 3,
  jobs: [{ id: 31, start_frame: 0, stop_frame: 2 }],
})
const jobFacts = factsOf({
  target: 'job',
  job_id: 31,
  size: 3,
  jobs: [{ id: 31, start_frame: 0, stop_frame: 0 }],
})
const truthFacts = factsOf({
  target: 'job',
  job_id: 32,
  size: 3,
  jobs: [{ id: 32, start_frame: 0, stop_frame: 2 }],
  frames: [2],
})
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts },
  { target: 'job', id: 31, user_id: 1, facts: jobFacts },
  { target: 'job', id: 32, user_id: 1, facts: truthFacts },
])
const labels = { getLabelSet: async () => ({ labels_revision: 1, labels: [labelOf({ id: 1 })] }) }
const frames = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => frameOf({ name }))
const readFrames = async () => bytesAnswer(jsonLinesOf(frames))

type Write = OperationServices['annotations']['writeRows']
const written: { query: Omit<Parameters<Write>[0], 'body'>; rows: AnnotationRow[] }[] = []
const writeRows: Write = async ({ body, ...query }) => {
  const rows: AnnotationRow[] = []
  for await (const batch of decodeRows(body)) rows.push(...batch)
  written.push({ query, rows })
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length
  const duplicates = query.mode === 'merge' ? 2 : 0
  return { tags: count('tag'), shapes: count('shape'), tracks: count('track'), duplicates }
}
let stored: string[] = []
const readRows = async () => bytesAnswer([rowLinesHeader, ...stored])
const services = servicesOf({
  tasks,
  labels,
  media: { readFrames },
  annotations: { readRows, writeRows },
})

beforeEach(() => {
  written.length = 0
  stored = []
})

const coco = (annotations: object[], images = ['a.jpg', 'b.jpg', 'c.jpg']) =>
  JSON.stringify({
    images: images.map((file_name, index) => ({
      id: index + 1,
      file_name,
      width: 100,
      height: 50,
    })),
    categories: [{ id: 1, name: 'car' }],
    annotations: annotations.map((one, index) => ({
      id: index + 1,
      category_id: 1,
      iscrowd: 0,
      area: 1,
      ...one,
    })),
  })
const box = { bbox: [1.25, 2, 3, 4], segmentation: [] }

test('annotations of a file become row lines, written in one call', async () => {
  const file = await uploadFile(blobs, 'a.json', coco([{ image_id: 2, ...box }]))
  const work = importWork({ file, import_mode: 'append', if_match: '"t1-1"' })
  const run = await runOf(store, services)

  const outcome = await importAnnotations(work, run)

  expect(written.map((one) => one.query)).toEqual([
    {
      target: 'task',
      id: 1,
      mode: 'append',
      dry_run: false,
      call_id: work.request_uuid,
      rq_id: work.rq_id,
      if_match: '"t1-1"',
    },
  ])
  expect(written[0]?.rows.map((row) => decodeShape(row.columns))).toMatchObject([
    { frame: 1, label_id: 1, type: 'rectangle', points: [1.25, 2, 4.25, 6], source: 'file' },
  ])
  expect(outcome).toEqual({
    report: {
      created: { tags: 0, shapes: 1, tracks: 0 },
      skipped: 0,
      converted: 0,
      dropped: 0,
      entries: [],
    },
    result: null,
    result_id: null,
  })
  expect(run.stages).toEqual(['Reading the file', 'final', 'Storing annotations'])
})

test('each part of a mask becomes a polygon when requested', async () => {
  const segmentation = { counts: [0, 1, 99, 1, 4899], size: [50, 100] }
  const file = await uploadFile(blobs, 'a.json', coco([{ image_id: 1, segmentation }]))
  const typesWhere = async (conv_mask_to_poly?: boolean) => {
    const work = importWork({ file, conv_mask_to_poly })
    const { report } = await importAnnotations(work, await runOf(store, services))
    const shapes = written.at(-1)?.rows.map((row) => decodeShape(row.columns))
    return [shapes?.map(({ type, group }) => `${type} ${group}`), report?.converted]
  }

  expect(await typesWhere(true)).toEqual([['polygon 1', 'polygon 1'], 1])
  expect(await typesWhere(false)).toEqual([['mask 0'], 0])
  expect(await typesWhere()).toEqual([['mask 0'], 0])
})

test('groups of an appended file differ from the existing groups', async () => {
  const ring = [0, 0, 5, 0, 5, 5]
  const annotations = [
    { image_id: 1, segmentation: [ring, ring] },
    { image_id: 1, segmentation: [ring] },
  ]
  const file = await uploadFile(blobs, 'a.json', coco(annotations))
  const tag = { frame: 0, label_id: 1, source: 'manual' } as const
  stored = [7, 2].map((group) => encodeTag({ ...tag, attributes: [], group }))
  const groupsAfter = async (import_mode: 'append' | 'replace') => {
    await importAnnotations(importWork({ file, import_mode }), await runOf(store, services))
    return written.at(-1)?.rows.map((row) => decodeShape(row.columns).group)
  }

  expect(await groupsAfter('append')).toEqual([8, 8, 0])
  expect(await groupsAfter('replace')).toEqual([1, 1, 0])
})

test('tracks of a file are assembled from its frames', async () => {
  const tracked = { attributes: { track_id: 5, keyframe: true } }
  const annotations = [1, 2].map((image_id) => ({ image_id, ...box, ...tracked }))
  const file = await uploadFile(blobs, 'a.json', coco(annotations))
  await importAnnotations(importWork({ file }), await runOf(store, services))
  const tracks = written[0]?.rows.map((row) => decodeTrack(row.columns))
  expect(tracks).toMatchObject([{ frame: 0, label_id: 1 }])
  expect(tracks?.[0]?.shapes.length).toBeGreaterThan(1)
})

test.each([
  ['a job', 31, 0],
  ['ground truth', 32, 2],
])('an import into %s leaves out other frames and reports them', async (_, id, frame) => {
  const file = await uploadFile(
    blobs,
    'a.json',
    coco([
      { image_id: 1, ...box },
      { image_id: 3, ...box },
    ]),
  )
  const work = importWork({ file }, { target: 'job', target_id: id })
  const { report } = await importAnnotations(work, await runOf(store, services))
  expect(written[0]?.query).toMatchObject({ target: 'job', id })
  expect(written[0]?.rows.map((row) => decodeShape(row.columns).frame)).toEqual([frame])
  expect(report).toMatchObject({
    created: { shapes: 1 },
    skipped: 1,
    entries: [{ code: 'frame-outside-job' }],
  })
})

describe('a file that cannot be imported changes nothing', () => {
  const whole = coco([{ image_id: 1, ...box }])
  test.each([
    ['an unknown label', whole.replace('car', 'van'), /van/],
    ['an image that is not in the task', coco([{ image_id: 1, ...box }], ['x.jpg']), /x\.jpg/],
    ['a file cut in half', whole.slice(0, whole.length / 2), /byte/],
    ['text', 'hello', /./],
    ['another json', '[]', /./],
  ])('%s', async (_, text, message) => {
    const file = await uploadFile(blobs, 'a.json', text)
    const run = await runOf(store, services)
    await expect(importAnnotations(importWork({ file }), run)).rejects.toThrow(message)
    expect(written).toEqual([])
    expect(run.stages).not.toContain('final')
  })
})

test('a dry run is passed on, and never enters the final transaction', async () => {
  const file = await uploadFile(blobs, 'a.json', coco([{ image_id: 1, ...box }]))
  const run = await runOf(store, services)
  const { report } = await importAnnotations(importWork({ file, dry_run: true }), run)
  expect(written).toMatchObject([{ query: { dry_run: true } }])
  expect(run.stages).not.toContain('final')
  expect(report?.created.shapes).toBe(1)
})

test('nothing is written once the lease is lost', async () => {
  const file = await uploadFile(blobs, 'a.json', coco([]))
  const enterFinal = async () => {
    throw forbidden('lost')
  }
  const run = await runOf(store, services, { enterFinal })
  await expect(importAnnotations(importWork({ file }), run)).rejects.toThrow('lost')
  expect(written).toEqual([])
})

test('permissions that were revoked meanwhile fail the import', async () => {
  const file = await uploadFile(blobs, 'a.json', coco([]))
  const none = { ...services, tasks: authorityOf([{ target: 'task', id: 1, user_id: 2, facts }]) }
  const attempt = importAnnotations(importWork({ file }), await runOf(store, none))
  await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
})

test('frame numbers of a file are those of the media', async () => {
  const text = `<annotations><image id="20"><tag label="car"/></image>
    <track label="car"><box frame="15" xtl="1" ytl="1" xbr="2" ybr="2"/></track></annotations>`
  const file = await uploadFile(blobs, 'a.xml', text)
  const video = { start_frame: 10, stop_frame: 20, frame_filter: 'step=5', video_name: 'a.mp4' }
  const media = { ...services.media, getMediaFacts: async () => video }
  written.length = 0
  const run = await runOf(store, { ...services, media })
  await importAnnotations(importWork({ format: 'CVAT 1.1', file }), run)
  const [{ rows } = { rows: [] }] = written
  expect(
    rows.map(({ kind, columns }) => [kind, columns[rowColumns[kind].indexOf('frame')]]),
  ).toEqual([
    ['tag', '2'],
    ['track', '1'],
  ])
})
