import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import type { Shape, Tag } from '@reticle/contracts/rest/annotations'
import type { BackupLine, BackupTask } from '@reticle/contracts/rest/backups'
import { encodeShape, encodeTag, rowLinesHeader } from '@reticle/contracts/row-lines'
import { factsOf, frameOf, labelOf } from '@reticle/contracts/testing/records'
import { openZip, type ZipReader } from '@reticle/formats/archive/zip-reader'
import { notFound } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import { blobSource } from '../storage/stored-file.ts'
import { backupWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { bytesAnswer, servicesOf } from '../testing/services.ts'
import { exportBackup } from './export-backup.ts'

/** Content of a backup archive. */

const store = await testStore()
const spec = { mutable: false, input_type: 'text' as const, default_value: '', values: [] }
const svg = '<circle data-label-id="3"></circle>'
const labels = [
  labelOf({ id: 1, name: 'car', attributes: [{ id: 5, name: 'plate', ...spec }] }),
  {
    ...labelOf({ id: 2, name: 'person', type: 'skeleton' }),
    sublabels: [{ ...labelOf({ id: 3, name: 'a "hand"', type: 'points' }), has_parent: true }],
    svg,
  },
]
const shape: Shape = {
  id: 9,
  frame: 1,
  label_id: 1,
  group: 0,
  source: 'manual',
  type: 'rectangle',
  score: 1,
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  points: [1, 2, 3, 4],
  attributes: [],
  elements: [],
}
const tag: Tag = { id: 8, frame: 0, label_id: 1, group: 2, source: 'auto', attributes: [] }
const asset = 'aaaaaaaa-0000-4000-8000-000000000001'

const job = { type: 'annotation', status: 'annotation', stage: 'annotation', state: 'new' } as const
const plain: BackupTask = {
  id: 1,
  name: 'Batch',
  bug_tracker: '',
  status: 'annotation',
  subset: 'train',
  guide: null,
  has_custom_segments: false,
  data: {
    chunk_size: 36,
    image_quality: 70,
    start_frame: 0,
    frame_filter: '',
    storage: 'local',
    video_name: null,
    deleted_frames: [1],
  },
  jobs: [{ ...job, id: 31, start_frame: 0, stop_frame: 1 }],
}

let rows: Record<number, string[]>
let frames: BackupLine[]
beforeEach(async () => {
  rows = { 31: [rowLinesHeader] }
  const files = [
    await uploadFile(store.blobs, 'b/2.jpg', 'second'),
    await uploadFile(store.blobs, 'a.png', 'first'),
  ]
  frames = files.map(({ name, key, size }) => ({ frame: frameOf({ name, key, length: size }) }))
})

/** Writes an archive of these lines and returns its members. */
async function written(lines: BackupLine[], given: Parameters<typeof backupWork>[0] = {}) {
  const services = servicesOf({
    tasks: {
      authorize: async () => factsOf(),
      describeBackup: async () => bytesAnswer(lines.map(encodeBackupLine)),
    },
    labels: { getLabelSet: async () => ({ labels_revision: 1, labels }) },
    annotations: { readRows: async ({ id }) => bytesAnswer(rows[id] ?? []) },
    guides: {
      getAssetFile: async ({ uuid }) => {
        if (uuid !== asset) throw notFound()
        const { key, size } = await uploadFile(store.blobs, 'x', 'a picture')
        const known = { etag: '', media_type: 'image/png', created_date: '' }
        return { ...known, key, size, filename: 'mirror.png' }
      },
    },
  })
  const work = backupWork(given)
  const outcome = await exportBackup(work, await runOf(store, services))
  const { key = '', size = 0 } = outcome.result ?? {}
  const zip = await openZip(blobSource(store.blobs, { key, size }))
  return { outcome, names: [...zip.files.keys()], read: (name: string) => textOf(zip, name) }
}

async function textOf(zip: ZipReader, name: string): Promise<string> {
  const entry = zip.files.get(name)
  if (!entry) throw new Error(`${name} is not in the archive`)
  return Buffer.from(await zip.bytes(entry)).toString()
}

test('a backup of a task contains its description, its annotation sets and its files', async () => {
  rows[31] = [rowLinesHeader, encodeTag(tag), encodeShape(shape)]
  const { names, read, outcome } = await written([{ task: plain }, ...frames])
  expect(names).toEqual([
    'task.json',
    'annotations.json',
    'data/manifest.jsonl',
    'data/b/2.jpg',
    'data/a.png',
  ])
  expect(await read('data/b/2.jpg')).toBe('second')
  const lines = (await read('data/manifest.jsonl')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { version: '1.1' },
    { type: 'images' },
    { name: 'b/2', extension: '.jpg' },
    { name: 'a', extension: '.png' },
  ])
  expect(JSON.parse(await read('task.json'))).toEqual({
    name: 'Batch',
    bug_tracker: '',
    status: 'annotation',
    subset: 'train',
    version: '1.0',
    generator: 'service/2.58.1',
    labels: expect.any(Array),
    data: {
      chunk_size: 36,
      image_quality: 70,
      start_frame: 0,
      stop_frame: 1,
      chunk_type: 'imageset',
      storage_method: 'cache',
      storage: 'local',
      sorting_method: 'predefined',
      deleted_frames: [1],
    },
    jobs: [{ ...job, start_frame: 0, stop_frame: 1 }],
  })
  expect(JSON.parse(await read('annotations.json'))).toMatchObject([
    { version: 0, tags: [{ label: 'car', group: 2 }], shapes: [{ label: 'car' }], tracks: [] },
  ])
  expect(outcome.report?.created).toEqual({ tags: 1, shapes: 1, tracks: 0 })
})

test('names replace ids, and ellipses have the form of archives', async () => {
  const points = [10, 20, 3, 4]
  const own = { ...shape, type: 'ellipse' as const, points, score: 0.5 }
  rows[31] = [rowLinesHeader, encodeShape({ ...own, attributes: [{ spec_id: 5, value: 'x' }] })]
  const { read } = await written([{ task: plain }, ...frames])
  const [set] = JSON.parse(await read('annotations.json'))
  expect(set.shapes).toMatchObject([
    { points: [10, 20, 13, 16], attributes: [{ name: 'plate', value: 'x' }], score: 0.5 },
  ])
  expect(await read('annotations.json')).not.toContain('_id"')
  const described = JSON.parse(await read('task.json')).labels[1]
  expect(described.svg).toBe('<circle data-label-name="a &quot;hand&quot;"></circle>')
  expect(described.sublabels).toEqual([
    { name: 'a "hand"', color: expect.any(String), type: 'points', attributes: [] },
  ])
})

test('jobs of custom sizes list their files, ground truth names its frames', async () => {
  rows[32] = [rowLinesHeader]
  rows[33] = [rowLinesHeader]
  const jobs: BackupTask['jobs'] = [
    { ...job, id: 31, start_frame: 0, stop_frame: 0 },
    { ...job, id: 32, start_frame: 1, stop_frame: 1 },
    { ...job, id: 33, type: 'ground_truth', start_frame: 0, stop_frame: 1, frames: [1] },
  ]
  const { read } = await written([
    { task: { ...plain, jobs, has_custom_segments: true } },
    ...frames,
  ])
  expect(JSON.parse(await read('task.json'))).toMatchObject({
    data: { custom_segments: true, validation_layout: { mode: 'gt', frames: ['a.png'] } },
    jobs: [{ files: ['b/2.jpg'] }, { files: ['a.png'] }, { type: 'ground_truth', frames: [1] }],
  })
  expect(JSON.parse(await read('annotations.json'))).toHaveLength(3)
})

test('media in a cloud storage is only listed in a lightweight archive', async () => {
  const data = { ...plain.data, storage: 'cloud_storage' as const }
  const lines = [{ task: { ...plain, data } }, ...frames]
  const light = await written(lines)
  expect(light.names).toEqual(['task.json', 'annotations.json', 'data/manifest.jsonl'])
  expect(JSON.parse(await light.read('task.json')).data.storage).toBe('cloud_storage')
  const whole = await written(lines, { lightweight: false })
  expect(whole.names).toContain('data/a.png')
  expect(JSON.parse(await whole.read('task.json')).data.storage).toBe('local')
})

test('the selection of source frames is stored apart, because only selected frames are in the archive', async () => {
  const data = { ...plain.data, start_frame: 4, frame_filter: 'step=3' }
  const { read } = await written([{ task: { ...plain, data } }, ...frames])
  expect(JSON.parse(await read('task.json')).data).toMatchObject({
    start_frame: 0,
    stop_frame: 1,
    source_frames: { start_frame: 4, frame_filter: 'step=3' },
  })
})

test('a project is its description, its guide and its tasks in folders', async () => {
  const guide = `![](/api/assets/${asset}) ![](/api/assets/${asset.replace('1', '2')})`
  const status = 'validation' as const
  const project = { name: 'P', bug_tracker: 'https://x.example', status, guide }
  const place = { job: 0, frame: 0, position: [1, 2], resolved: true, owner: 'anna' }
  const issue = { ...place, comments: [{ message: 'no', owner: 'bo' }] }
  const lines = [{ project }, { task: plain }, ...frames, { issue }, { task: plain }, ...frames]
  const { names, read } = await written(lines, { target: 'project', target_id: 7 })
  expect(names).toEqual([
    'project.json',
    'annotation_guide.md',
    'assets/mirror.png',
    'task_0/task.json',
    'task_0/annotations.json',
    'task_0/issues.json',
    'task_0/data/manifest.jsonl',
    'task_1/task.json',
    'task_1/annotations.json',
    'task_1/data/manifest.jsonl',
    'task_0/data/b/2.jpg',
    'task_0/data/a.png',
    'task_1/data/b/2.jpg',
    'task_1/data/a.png',
  ])
  expect(JSON.parse(await read('project.json'))).toMatchObject({
    name: 'P',
    bug_tracker: 'https://x.example',
    status: 'validation',
    version: '1.0',
  })
  expect(await read('annotation_guide.md')).toBe(
    `![](assets/mirror.png) ![](/api/assets/${asset.replace('1', '2')})`,
  )
  expect(JSON.parse(await read('task_0/issues.json'))).toEqual([issue])
  expect(await read('task_1/data/a.png')).toBe('first')
})

test('a task with a guide is described before its media', async () => {
  const guide = `![](/api/assets/${asset})`
  const { names, read } = await written([{ task: { ...plain, guide } }, ...frames])
  expect(names).toEqual([
    'task.json',
    'annotations.json',
    'data/manifest.jsonl',
    'annotation_guide.md',
    'assets/mirror.png',
    'data/b/2.jpg',
    'data/a.png',
  ])
  expect(await read('assets/mirror.png')).toBe('a picture')
})

test('a project without media has a backup', async () => {
  const status = 'annotation' as const
  const project = { name: 'P', bug_tracker: '', status, guide: null }
  const { names } = await written([{ project }], { target: 'project', target_id: 7 })
  expect(names).toEqual(['project.json'])
})

test('a task that was deleted meanwhile fails the request', async () => {
  await expect(written([])).rejects.toThrow('The task was deleted')
})
