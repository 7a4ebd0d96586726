import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { decodeRows, decodeShape } from '@reticle/contracts/row-lines'
import { factsOf, labelOf } from '@reticle/contracts/testing/records'
import { findExporter } from '@reticle/formats/registry'
import {
  datasetOf,
  exportBytes,
  labelOf as formatLabel,
  framesOf,
  shapeOf,
} from '@reticle/formats/testing/run'
import { conflict } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import { openMediaBytes } from '../media/media-bytes.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { gatherBytes } from '../storage/stored-file.ts'
import { archiveOf, png, withWrongChecksum } from '../testing/archive.ts'
import { importDatasetWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { authorityOf, servicesOf } from '../testing/services.ts'
import type { ImportDatasetWork } from '../work/request-work.ts'
import { importDataset } from './import-dataset.ts'

/** Calls to other services, in order; `tests/e2e/acceptance` tests that a failure leaves nothing. */

const store = await testStore()
const facts = factsOf({ target: 'project', project_id: 7, task_id: null, size: 0, jobs: [] })
let calls: [string, object][] = []
let broken: string | undefined
const note = (name: string, given: object): undefined => {
  calls.push([name, given])
  if (name === broken) throw conflict('no')
}

const labels = [labelOf({ id: 40, name: 'car' })]
const services = servicesOf({
  tasks: {
    ...authorityOf([{ target: 'project', id: 7, user_id: 1, facts }]),
    openDraft: async ({ body }) => {
      note('open', body)
      return { project_id: 7, labels_revision: 2, labels }
    },
    addDraftTask: async ({ name, subset }) => {
      note('task', { name, subset })
      return { task_id: calls.length }
    },
    publishDraft: async (given) => {
      note('publish', given)
      return { project_id: 7, task_ids: [] }
    },
    dropDraft: async (given) => note('drop', given),
  },
  labels: { getLabelSet: async () => ({ labels_revision: 1, labels: [] }) },
  media: {
    attachMedia: async ({ body, task_id }) => {
      const frames = []
      for await (const batch of decodeFrames(body)) frames.push(...batch)
      note('media', { task_id, names: frames.map(({ name }) => name) })
      return { size: frames.length, jobs: 1 }
    },
  },
  annotations: {
    writeRows: async ({ body, id, mode, dry_run }) => {
      const shapes = []
      for await (const rows of decodeRows(body))
        for (const row of rows) shapes.push(decodeShape(row.columns).frame)
      note('rows', { id, mode, dry_run, shapes })
      return { tags: 0, shapes: shapes.length, tracks: 0, duplicates: 0 }
    },
  },
})

beforeEach(() => {
  calls = []
  broken = undefined
})

const instances = (images: string[], image_id = 1) =>
  JSON.stringify({
    images: images.map((file_name, index) => ({ id: index + 1, file_name })),
    categories: [{ id: 1, name: 'car' }],
    annotations: [
      { id: 1, image_id, category_id: 1, bbox: [1, 2, 3, 4], attributes: { wet: true } },
    ],
  })

async function work(
  given: Partial<ImportDatasetWork['params']> = {},
  change = (archive: Buffer) => archive,
) {
  const zip = await archiveOf({
    'annotations/instances_train.json': instances(['a.png', 'b.png'], 2),
    'annotations/instances_val.json': instances(['a.png']),
    'images/train/a.png': await png(8, 6),
    'images/train/b.png': await png(4, 4),
    'images/val/a.png': await png(8, 6),
  })
  return importDatasetWork({
    file: await uploadFile(store.blobs, 'set.zip', change(zip)),
    ...given,
  })
}

const named = () => calls.map(([name]) => name)

test('each subset becomes a task of a draft, which is published at the end', async () => {
  const keptFor: number[] = []
  const shareWithTask: OperationDeps['shareWithTask'] = async (id) => {
    keptFor.push(id)
  }
  const asked = await work()
  const run = await runOf(store, services, { shareWithTask })

  const outcome = await importDataset(asked, run)

  const wet = { name: 'wet', input_type: 'checkbox', mutable: false, values: [] }
  const into = { mode: 'replace', dry_run: false }
  expect(calls).toMatchObject([
    ['open', { project_id: 7, labels: [{ name: 'car', attributes: [wet] }] }],
    ['task', { name: 'train', subset: 'train' }],
    ['media', { task_id: 2, names: ['a.png', 'b.png'] }],
    ['rows', { id: 2, ...into, shapes: [1] }],
    ['task', { name: 'val', subset: 'val' }],
    ['media', { task_id: 5, names: ['a.png'] }],
    ['rows', { id: 5, ...into, shapes: [0] }],
    ['publish', { call_id: asked.request_uuid }],
    ['drop', {}],
  ])
  expect(keptFor).toEqual([2, 5])
  expect(outcome.report?.created).toEqual({ tags: 0, shapes: 2, tracks: 0 })
  expect(run.stages.slice(-2)).toEqual(['Storing annotations of val', 'final'])
})

test('an image that does not match the checksum of its archive is imported and reported', async () => {
  const asked = await work({}, (zip) => withWrongChecksum(zip, 'images/val/a.png'))
  const { report } = await importDataset(asked, await runOf(store, services))
  expect(report?.entries).toContainEqual(
    expect.objectContaining({ code: 'damaged-image', examples: [{ file: 'a.png', item: '' }] }),
  )
  expect(named()).toContain('publish')
})

test('embedded images become an object that is owned by their task', async () => {
  const { exporter } = findExporter('TFRecord 1.0') ?? {}
  const images = { 'a.png': await png(100, 80), 'b.png': await png(4, 4) }
  const frames = framesOf(Object.keys(images)).map((frame) => ({
    ...frame,
    image: async function* () {
      yield Object.values(images)[frame.frame] ?? Buffer.alloc(0)
    },
  }))
  const shapes = [shapeOf({ frame: 1, label_id: 1 })]
  const given = datasetOf([formatLabel({ name: 'car' })], frames, { shapes }, { saveImages: true })
  const { bytes } = await exportBytes(exporter, given)
  const file = await uploadFile(store.blobs, 'set.zip', bytes)
  const asked = importDatasetWork({ format: 'TFRecord 1.0', file })
  const places: FrameSource[] = []
  const attachMedia: typeof services.media.attachMedia = async ({ body }) => {
    for await (const batch of decodeFrames(body)) places.push(...batch)
    return { size: places.length, jobs: 1 }
  }
  const media = { ...services.media, attachMedia }
  const keptFor: number[] = []
  const shareWithTask: OperationDeps['shareWithTask'] = async (id) => {
    keptFor.push(id)
  }

  const run = await runOf(store, { ...services, media }, { shareWithTask })
  const { report } = await importDataset(asked, run)

  expect(report?.created.shapes).toBe(1)
  expect(calls).toContainEqual(['rows', { id: 2, mode: 'replace', dry_run: false, shapes: [1] }])
  expect(keptFor).toEqual([2])
  const key = `requests/media/${asked.request_uuid}/2/images`
  expect(places).toMatchObject([
    { name: 'a.png', width: 100, height: 80, key, packing: 'stored', media_type: 'image/png' },
    { name: 'b.png', width: 4, height: 4, key, packing: 'stored', media_type: 'image/png' },
  ])
  for (const [index, place] of places.entries())
    expect(await gatherBytes(await openMediaBytes(store.blobs, place))).toEqual(
      Object.values(images)[index],
    )
})

test('labels have all properties in the file, skeletons have their elements', async () => {
  const svg = '<circle cx="1" cy="2" data-label-name="head"></circle>'
  const head = formatLabel({ id: 3, name: 'head', type: 'points', color: '#0000ff' })
  const spec = { id: 4, mutable: true, input_type: 'select', values: ['up', 'down'] }
  const mood = { ...spec, name: 'mood', default_value: 'down' }
  const skeleton = { type: 'skeleton', color: '#00ff00', svg, sublabels: [head] }
  const person = formatLabel({ id: 2, name: 'person', attributes: [mood], ...skeleton })
  const bytes = await png(100, 80)
  const [frame] = framesOf(['a.png'])
  if (!frame) throw new Error('the import created no frame')
  const image = async function* () {
    yield bytes
  }
  const dataset = datasetOf([person], [{ ...frame, image }], {}, { saveImages: true })
  const { exporter } = findExporter('Service 1.1') ?? {}
  const zip = await exportBytes(exporter, dataset)
  const file = await uploadFile(store.blobs, 'set.zip', zip.bytes)
  const asked = importDatasetWork({ format: 'Service 1.1', file })

  await importDataset(asked, await runOf(store, services))

  const { id: _, ...attribute } = mood
  const point = { name: 'head', type: 'points', color: '#0000ff', attributes: [] }
  expect(calls[0]?.[1]).toMatchObject({
    labels: [{ name: 'person', ...skeleton, attributes: [attribute], sublabels: [point] }],
  })

  const known = labelOf({
    id: 40,
    name: 'person',
    type: 'skeleton',
    svg: '',
    sublabels: [{ ...labelOf({ id: 41, name: 'head' }), has_parent: true }],
  })
  const getLabelSet = async () => ({ labels_revision: 1, labels: [known] })
  const withKnown = { ...services, labels: { ...services.labels, getLabelSet } }
  await importDataset(asked, await runOf(store, withKnown))
  expect(calls.findLast(([name]) => name === 'open')?.[1]).toMatchObject({
    labels: [{ id: 40, attributes: [attribute] }],
  })
  known.sublabels = []
  await expect(importDataset(asked, await runOf(store, withKnown))).rejects.toThrow(
    'Target project does not have label with name "person/head"',
  )
})

test.each(['media', 'rows', 'publish'])('when %s fails, the draft is dropped', async (name) => {
  broken = name
  await expect(importDataset(await work(), await runOf(store, services))).rejects.toThrow('no')
  expect(named().slice(-2)).toEqual([name, 'drop'])
})

test('a dry run does all of it, and publishes nothing', async () => {
  const run = await runOf(store, services)
  const { report } = await importDataset(await work({ dry_run: true }), run)
  expect(report?.created.shapes).toBe(2)
  expect(named().slice(-2)).toEqual(['rows', 'drop'])
  expect(run.stages).not.toContain('final')
})

test('a cancelled import also drops its draft', async () => {
  const stop = new AbortController()
  const enterFinal = async () => {
    stop.abort()
    stop.signal.throwIfAborted()
  }
  const run = await runOf(store, services, { signal: stop.signal, enterFinal })
  await expect(importDataset(await work(), run)).rejects.toThrow()
  expect(named().slice(-2)).toEqual(['rows', 'drop'])
})
