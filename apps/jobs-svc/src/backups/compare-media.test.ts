import { decodeBackupLines } from '@reticle/contracts/backup-lines'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { factsOf } from '@reticle/contracts/testing/records'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import type { OperationDeps } from '../operations/operation.ts'
import { archiveOf, png, withWrongChecksum } from '../testing/archive.ts'
import { restoreWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { authorityOf, servicesOf } from '../testing/services.ts'
import { importBackup } from './import-backup.ts'

/** Media of a backup is compared with its manifest, for tasks and projects. */

const store = await testStore()
const facts = factsOf({ target: 'project', project_id: null, task_id: null, size: 0, jobs: [] })
const may = (['project', 'task'] as const).map((target) => ({ target, id: 0, user_id: 1, facts }))
let frames: FrameSource[] = []
beforeEach(() => {
  frames = []
})

const services = servicesOf({
  tasks: {
    ...authorityOf(may),
    openDraft: async ({ body: { project } }) => ({
      project_id: project ? 7 : null,
      labels_revision: 0,
      labels: [],
    }),
    addDraftTask: async () => ({ task_id: 3 }),
    restoreTask: async ({ body }) => {
      for await (const { frame } of decodeBackupLines(body)) if (frame) frames.push(frame)
      return { job_ids: [30] }
    },
    publishDraft: async () => ({ project_id: 7, task_ids: [3] }),
    dropDraft: async () => undefined,
  },
  labels: { getLabelSet: async () => ({ labels_revision: 1, labels: [] }) },
  annotations: { writeRows: async () => ({ tags: 0, shapes: 0, tracks: 0, duplicates: 0 }) },
})

const noise = Buffer.from(Array.from({ length: 40 * 30 * 3 }, (_, at) => (at * at * 7919) % 251))
const grain = sharp(noise, { raw: { width: 40, height: 30, channels: 3 } })
const whole = await grain.clone().png().toBuffer()
const jpeg = await grain.clone().jpeg().toBuffer()
const archive = await archiveOf({ 'x.txt': 'x' })
const pictures = { 'a.png': whole, 'in/b.png': whole, 'c.jpg': jpeg }

function overwritten(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed.set(noise.subarray(0, 200), bytes.length / 2)
  return changed
}

type Members = Record<string, string | Uint8Array>
const listed = (file: string, more: object = {}) => {
  const [, name, extension] = /^(.+)(\..+)$/.exec(file) ?? []
  return { name, extension, width: 40, height: 30, ...more }
}
const manifestOf = (entries: object[], type = 'images') =>
  [{ version: '1.1' }, { type }, ...entries].map((one) => JSON.stringify(one)).join('\n')

const targets = { task: '', project: 'task_0/' } as const
type Target = keyof typeof targets

async function restore(
  target: Target,
  data: Members,
  entries = Object.keys(pictures).map((one) => listed(one)),
  change = (archive: Buffer) => archive,
) {
  const folder = targets[target]
  const jobs = [{ start_frame: 0, stop_frame: Object.keys(pictures).length - 1 }]
  const media = Object.entries(data).map(([name, bytes]) => [`${folder}data/${name}`, bytes])
  const zip = await archiveOf({
    ...(target === 'project' && { 'project.json': JSON.stringify({ version: '1.0', name: 'P' }) }),
    [`${folder}task.json`]: JSON.stringify({ version: '1.0', name: 'T', data: {}, jobs }),
    [`${folder}annotations.json`]: '[{}]',
    [`${folder}data/manifest.jsonl`]: manifestOf(entries),
    ...Object.fromEntries(media),
  })
  const work = restoreWork(await uploadFile(store.blobs, 'b.zip', change(zip)), { target })
  const { report } = await importBackup(work, await runOf(store, services))
  return report?.entries
}

describe.each(['task', 'project'] as const)('a backup of a %s', (target) => {
  const at = (name: string) => `${targets[target]}data/${name}`

  test('is restored without report entries when pictures match the manifest', async () => {
    expect(await restore(target, pictures)).toEqual([])
    expect(frames.map(({ name }) => name)).toEqual(Object.keys(pictures))
  })

  test.each([
    ['a PNG that is cut off', 'in/b.png', whole.subarray(0, 100)],
    ['a JPEG that is cut off', 'c.jpg', jpeg.subarray(0, jpeg.length / 2)],
    ['a PNG that is overwritten in its middle', 'a.png', overwritten(whole)],
  ])('reports %s with its name', async (_, name, bytes) => {
    const entries = await restore(target, { ...pictures, [name]: bytes })
    const reason = 'the image cannot be decoded: it is damaged or cut off'
    const examples = [{ file: at(name), item: '' }]
    expect(entries).toMatchObject([{ kind: 'converted', code: 'damaged-image', reason, examples }])
    expect(frames).toHaveLength(3)
  })

  test('an image that decodes and does not match its checksum is restored and reported', async () => {
    const change = (zip: Buffer) => withWrongChecksum(zip, at('in/b.png'))
    const reason = 'the image does not match the checksum in its archive: it is damaged'
    expect(await restore(target, pictures, undefined, change)).toMatchObject([
      { kind: 'converted', code: 'damaged-image', reason, examples: [{ file: at('in/b.png') }] },
    ])
    expect(frames).toHaveLength(3)
  })

  test.each([
    ['a text', Buffer.from('no picture')],
    ['nothing', Buffer.alloc(0)],
    ['an archive', archive],
  ])('fails with the name of a picture that became %s', async (_, bytes) => {
    const attempt = restore(target, { ...pictures, 'in/b.png': bytes })
    await expect(attempt).rejects.toThrow(`${at('in/b.png')}: no image`)
  })

  test('reports a picture of another size', async () => {
    const entries = await restore(target, { ...pictures, 'a.png': await png(20, 30) })
    const reason = 'the image has 20 x 30 pixels, the manifest lists 40 x 30'
    const examples = [{ file: at('a.png'), item: '' }]
    expect(entries).toMatchObject([{ code: 'changed-image', reason, examples }])
  })

  test('fails with the name of a missing picture', async () => {
    const { 'a.png': _, ...others } = pictures
    await expect(restore(target, others)).rejects.toThrow('Mismatching files: a.png (manifest)')
  })

  test('reports context images that are broken or missing', async () => {
    const meta = { related_images: ['side/left.png', 'side/right.png'] }
    const entries = [listed('a.png', { meta }), listed('in/b.png'), listed('c.jpg')]
    const data = { ...pictures, 'side/left.png': whole.subarray(0, 100) }
    expect(await restore(target, data, entries)).toMatchObject([
      { code: 'ignored-file', examples: [{ file: at('side/right.png') }] },
      { code: 'damaged-image', examples: [{ file: at('side/left.png') }] },
    ])
  })
})

/** Decoder that finds 80 pictures of 64 x 48 pixels, with 41 distinct times. */
const videos: OperationDeps['videos'] = {
  prepare: async (_video, _key, _signal, options) => ({
    length: 1,
    chapters: { chapters: [], isWhole: true },
    index: {
      codec: 'h264',
      by: 'order',
      width: 64,
      height: 48,
      orientation: { isMirrored: false, turn: 0 },
      time_base: { num: 1, den: 1000 },
      pts: new Float64Array(options?.mergesEqualTimes ? 41 : 80),
      keys: new Float64Array(),
    },
  }),
}

async function restoreVideo(properties: object, last: number, bytes = '\0\0\0\x18ftypisom') {
  const jobs = [{ start_frame: 0, stop_frame: last }]
  const zip = await archiveOf({
    'task.json': JSON.stringify({ version: '1.0', name: 'T', data: {}, jobs }),
    'annotations.json': '[{}]',
    'data/manifest.jsonl': manifestOf([{ properties: { name: 'a.mkv', ...properties } }], 'video'),
    'data/a.mkv': bytes,
  })
  const work = restoreWork(await uploadFile(store.blobs, 'b.zip', zip))
  const { report } = await importBackup(work, await runOf(store, services, { videos }))
  return report?.entries
}

describe('the video of a backup', () => {
  const resolution = [64, 48]

  test('is restored without report entries when it matches the manifest', async () => {
    expect(await restoreVideo({ resolution, length: 80 }, 79)).toEqual([])
    expect(frames).toHaveLength(80)
  })

  test('keeps its frames when an older version counted them by their times', async () => {
    expect(await restoreVideo({ resolution, length: 41 }, 40)).toEqual([])
    expect(frames).toHaveLength(41)
  })

  test.each([
    [
      'another number of pictures',
      { resolution, length: 90 },
      '80 pictures, the manifest lists 90',
    ],
    [
      'another size',
      { resolution: [48, 64], length: 80 },
      '64 x 48 pixels, the manifest lists 48 x 64',
    ],
  ])('that has %s is reported with its name', async (_, properties, reason) => {
    expect(await restoreVideo(properties, 79)).toMatchObject([
      {
        code: 'changed-image',
        reason: `the video has ${reason}`,
        examples: [{ file: 'data/a.mkv' }],
      },
    ])
  })

  test('with fewer pictures than its jobs need fails with its name', async () => {
    await expect(restoreVideo({ resolution, length: 90 }, 89)).rejects.toThrow(
      'data/a.mkv: the video has 80 frames for the task, its jobs have 90: it is cut off or another one',
    )
  })

  test('that was replaced by another file fails with its name', async () => {
    await expect(restoreVideo({ resolution, length: 80 }, 79, 'no video')).rejects.toThrow(
      'data/a.mkv: the manifest lists a video, but this file is none',
    )
  })
})
