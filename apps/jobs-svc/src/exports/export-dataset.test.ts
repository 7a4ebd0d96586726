import { encodeShape, encodeTrack, rowLinesHeader } from '@reticle/contracts/row-lines'
import {
  factsOf,
  frameOf,
  jobRecord,
  labelOf,
  taskRecord,
} from '@reticle/contracts/testing/records'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { forbidden, notFound } from '@reticle/kit'
import { describe, expect, test } from 'vitest'
import type { OperationServices } from '../operations/operation.ts'
import { gatherBytes } from '../storage/stored-file.ts'
import { exportWork, runOf, testStore, uploadFile, whole } from '../testing/run.ts'
import { authorityOf, bytesAnswer, jsonLinesOf, servicesOf } from '../testing/services.ts'
import { UnusableInput } from '../work/errors.ts'
import { exportDataset } from './export-dataset.ts'

const store = await testStore()
const { blobs } = store
const jobs = [
  { id: 31, start_frame: 0, stop_frame: 1 },
  { id: 32, start_frame: 2, stop_frame: 3 },
]
const [, second] = jobs
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: factsOf({ size: 4, jobs }) },
  {
    target: 'job',
    id: 32,
    user_id: 1,
    facts: factsOf({ target: 'job', job_id: 32, size: 4, jobs: second ? [second] : [] }),
  },
  {
    target: 'task',
    id: 2,
    user_id: 1,
    facts: factsOf({
      size: 4,
      jobs: [
        { id: 35, start_frame: 0, stop_frame: 2 },
        { id: 36, start_frame: 2, stop_frame: 3 },
      ],
    }),
  },
  {
    target: 'job',
    id: 33,
    user_id: 1,
    facts: factsOf({
      target: 'job',
      job_id: 33,
      size: 4,
      jobs: [{ id: 33, start_frame: 0, stop_frame: 3 }],
      frames: [0, 3],
    }),
  },
  {
    target: 'job',
    id: 34,
    user_id: 1,
    facts: factsOf({
      target: 'job',
      job_id: 34,
      size: 4,
      jobs: [{ id: 34, start_frame: 0, stop_frame: 3 }],
    }),
  },
])
const labels = { getLabelSet: async () => ({ labels_revision: 1, labels: [labelOf({ id: 1 })] }) }
const pictures = await Promise.all(
  ['a', 'b', 'c', 'd'].map((name) => uploadFile(blobs, `${name}.jpg`, `picture ${name}`)),
)
const frames = pictures.map(({ name, key, size }) => frameOf({ name, key, length: size }))
type Media = OperationServices['media']
const readFrames: Media['readFrames'] = async ({ start, stop }) =>
  bytesAnswer(jsonLinesOf(frames.slice(start, stop + 1)))

const anna = { url: '', username: 'anna', first_name: '', last_name: '' }
const common = { label_id: 1, group: 0, source: 'manual' as const, attributes: [] }
const place = { occluded: false, outside: false, z_order: 0, rotation: 0 }
const shapeAt = (frame: number, score = 1) =>
  encodeShape({
    ...common,
    ...place,
    id: 7,
    frame,
    type: 'rectangle',
    score,
    points: [1, 2, 4, 6],
    elements: [],
  })
const keyframe = (frame: number, points = [10, 10, 20, 20]) => ({
  ...place,
  type: 'rectangle' as const,
  frame,
  keyframe: true,
  points,
  attributes: [],
})
const trackAt = (frame: number, ...more: ReturnType<typeof keyframe>[]) =>
  encodeTrack({ ...common, id: 9, frame, elements: [], shapes: [keyframe(frame), ...more] })

/** Creates services that return `lines` after the header. */
const servicesWith = (lines: string[], media: Partial<Media> = { readFrames }) =>
  servicesOf({
    tasks,
    labels,
    media,
    annotations: { readRows: async () => bytesAnswer([rowLinesHeader, ...lines]) },
  })

async function archiveOf(key: string | undefined) {
  const { chunks } = await blobs.get(key ?? '')
  const zip = await openZip(sourceOf(await gatherBytes(chunks)))
  const text = async (name: string) => {
    const entry = zip.files.get(name)
    return entry ? String(Buffer.from(await zip.bytes(entry))) : undefined
  }
  return { names: [...zip.files.keys()].sort(), text }
}

const instances = 'annotations/instances_default.json'

describe('the native format', () => {
  const video = { start_frame: 10, stop_frame: 25, frame_filter: 'step=5', video_name: 'clip.mp4' }
  const documentOf = async (
    lines: string[],
    given: Parameters<typeof exportWork>[1] = {},
    services = servicesWith(lines, { readFrames, getMediaFacts: async () => video }),
  ) => {
    const work = exportWork({ format: 'Service 1.1' }, given)
    const { result } = await exportDataset(work, await runOf(store, services))
    return (await (await archiveOf(result?.key)).text('annotations.xml')) ?? ''
  }

  test('keeps tracks, and numbers frames as the media does', async () => {
    const text = await documentOf([shapeAt(1), trackAt(2)])
    expect(text).toContain(
      '<image id="15" name="b.jpg" width="100" height="50">\n    <box label="car"',
    )
    expect(text).toContain(
      '<track id="0" label="car" source="manual">\n    <box frame="20" keyframe="1"',
    )
    expect(text).toContain('<box frame="25" keyframe="0"')
    expect(text).toContain('<start_frame>10</start_frame>\n      <stop_frame>25</stop_frame>')
    expect(text).toContain('<source>clip.mp4</source>\n    </task>')
    expect(text).toContain('<id>32</id>\n          <start>2</start>\n          <stop>3</stop>')
    expect(text).toContain('<dumped>2026-03-01 10:00:00.000000+00:00</dumped>')
  })

  test('contains no email address of another user', async () => {
    const owned = (id: number) => ({
      ...servicesWith([]),
      tasks: { ...tasks, getTask: async () => taskRecord({ owner: { ...anna, id } }) },
    })
    const { principal } = exportWork()
    const given = { principal: { ...principal, email: 'own@example.org' } }
    expect(await documentOf([], given, owned(1))).toContain('<email>own@example.org</email>')
    expect(await documentOf([], given, owned(2))).toContain('<email></email>')
  })

  test('of a job contains the facts that are readable without its task', async () => {
    const services = servicesWith([])
    const getTask = async () => {
      throw forbidden()
    }
    const getJob = async () => jobRecord({ id: 32, start_frame: 2, stop_frame: 3 })
    const hidden = {
      ...services,
      tasks: { ...tasks, getTask },
      jobs: { ...services.jobs, getJob },
      media: { ...services.media, getMediaFacts: async () => video },
    }
    const text = await documentOf([], { target: 'job', target_id: 32 }, hidden)
    expect(text).toContain('<job>\n      <id>32</id>')
    expect(text).toContain('<start_frame>20</start_frame>\n      <stop_frame>25</stop_frame>')
    expect(text).toContain('<owner></owner>')
  })

  test('a track extends to the end of the later of two jobs that share its last keyframe', async () => {
    const text = await documentOf([trackAt(2)], { target: 'task', target_id: 2 })
    expect([...text.matchAll(/ frame="(\d+)"/g)].map(([, frame]) => frame)).toEqual(['20', '25'])
  })
})

test('annotations of a task become an archive under a key of the attempt', async () => {
  const work = exportWork()
  const run = await runOf(store, servicesWith([shapeAt(1), shapeAt(3)]))

  const { result, report } = await exportDataset(work, run)

  expect(result?.key).toBe(`requests/results/${work.request_uuid}/1`)
  expect(result?.size).toBe((await blobs.stat(result?.key ?? '')).size)
  const archive = await archiveOf(result?.key)
  expect(archive.names).toEqual([instances])
  const data = JSON.parse((await archive.text(instances)) ?? '{}')
  expect(data.images).toMatchObject([
    { file_name: 'a.jpg' },
    { file_name: 'b.jpg' },
    { file_name: 'c.jpg' },
    { file_name: 'd.jpg' },
  ])
  expect(data.annotations).toMatchObject([
    { image_id: 2, bbox: [1, 2, 3, 4] },
    { image_id: 4, bbox: [1, 2, 3, 4] },
  ])
  expect(report?.dropped).toBe(0)
  expect(run.stages).not.toContain('final')
})

test('an archive with images contains the original bytes', async () => {
  const { result } = await exportDataset(
    exportWork({ save_images: true }),
    await runOf(store, servicesWith([])),
  )
  const archive = await archiveOf(result?.key)
  const images = archive.names.filter((name) => name.endsWith('.jpg'))
  expect(images.length).toBe(4)
  expect(await archive.text(images[1] ?? '')).toBe('picture b')
})

test('a track ends with the job of its last keyframe', async () => {
  const { result } = await exportDataset(
    exportWork(),
    await runOf(store, servicesWith([trackAt(0)])),
  )
  const data = JSON.parse((await (await archiveOf(result?.key)).text(instances)) ?? '{}')
  expect(data.annotations.map((one: { image_id: number }) => one.image_id)).toEqual([1, 2])
})

test('the export of a job contains only its frames', async () => {
  const { result } = await exportDataset(
    exportWork({}, { target: 'job', target_id: 32 }),
    await runOf(store, servicesWith([shapeAt(2)])),
  )
  const data = JSON.parse((await (await archiveOf(result?.key)).text(instances)) ?? '{}')
  expect(data.images).toMatchObject([{ file_name: 'c.jpg' }, { file_name: 'd.jpg' }])
  expect(data.annotations.length).toBe(1)
})

test('the export of ground truth contains only its frames, with interpolated tracks', async () => {
  const { result } = await exportDataset(
    exportWork({}, { target: 'job', target_id: 33 }),
    await runOf(store, servicesWith([shapeAt(3), trackAt(0)])),
  )
  const data = JSON.parse((await (await archiveOf(result?.key)).text(instances)) ?? '{}')
  expect(data.images).toMatchObject([{ file_name: 'a.jpg' }, { file_name: 'd.jpg' }])
  const idOf = (name: string) =>
    data.images.find((one: { file_name: string }) => one.file_name === name)?.id
  expect(data.annotations.map((one: { image_id: number }) => one.image_id)).toEqual([
    idOf('a.jpg'),
    idOf('d.jpg'),
    idOf('d.jpg'),
  ])
})

test('deleted frames and their shapes are left out, but their keyframes still affect interpolation', async () => {
  const getDeletedFrames = async () => ({ frames: [1, 2] })
  const moved = trackAt(0, keyframe(2, [50, 50, 70, 70]))
  const { result } = await exportDataset(
    exportWork({ save_images: true }, { target: 'job', target_id: 34 }),
    await runOf(store, servicesWith([shapeAt(1), moved], { readFrames, getDeletedFrames })),
  )
  const archive = await archiveOf(result?.key)
  const data = JSON.parse((await archive.text(instances)) ?? '{}')
  expect(data.images).toMatchObject([{ file_name: 'a.jpg' }, { file_name: 'd.jpg' }])
  expect(data.annotations).toMatchObject([{ bbox: [10, 10, 10, 10] }, { bbox: [50, 50, 20, 20] }])
  expect(archive.names.filter((name) => name.endsWith('.jpg'))).toHaveLength(2)
})

test('the same annotations make the same bytes', async () => {
  const work = exportWork()
  const bytes = async (lease_token: number) => {
    const run = await runOf(store, servicesWith([shapeAt(1), trackAt(2)]))
    const { result } = await exportDataset({ ...work, lease_token }, run)
    const { chunks } = await blobs.get(result?.key ?? '')
    return gatherBytes(chunks)
  }
  expect(await bytes(2)).toEqual(await bytes(3))
})

test('an export without annotations is a valid archive', async () => {
  const { result } = await exportDataset(exportWork(), await runOf(store, servicesWith([])))
  expect((await archiveOf(result?.key)).names).toEqual([instances])
})

test('an export that fails leaves no object', async () => {
  const work = exportWork({ save_images: true })
  const gone = frames.map((frame) => ({ ...frame, key: 'requests/uploads/gone' }))
  const media = { readFrames: async () => bytesAnswer(jsonLinesOf(gone)) }
  const attempt = exportDataset(work, await runOf(store, servicesWith([], media)))
  await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
  await expect(blobs.stat(`requests/results/${work.request_uuid}/1`)).rejects.toMatchObject({
    kind: 'not_found',
  })
})

test('an image that cannot be unpacked is named', async () => {
  const { key, size: length } = await uploadFile(blobs, 'a.zip', 'no deflate stream')
  const broken = frames.map((frame) => ({ ...frame, key, length, packing: 'deflated' }))
  const media = { readFrames: async () => bytesAnswer(jsonLinesOf(broken)) }
  const run = await runOf(store, servicesWith([], media))
  await expect(exportDataset(exportWork({ save_images: true }), run)).rejects.toThrow(
    new UnusableInput('a.jpg: the image cannot be unpacked, or is no image'),
  )
})

test('an export that is stopped ends at once and leaves no object', async () => {
  const work = exportWork()
  const abort = new AbortController()
  const services = servicesWith([shapeAt(1)])
  const run = await runOf(store, services, {
    signal: abort.signal,
    progress: (share) => {
      if (share > 0) abort.abort(notFound('stopped'))
    },
  })
  await expect(exportDataset(work, run)).rejects.toThrow()
  await expect(blobs.stat(`requests/results/${work.request_uuid}/1`)).rejects.toMatchObject({
    kind: 'not_found',
  })
})

/** Exports with a selection; returns the file names of its images, and the image of each annotation. */
async function selected(
  only: Partial<ReturnType<typeof exportWork>['params']['only']>,
  lines: string[],
  target: Parameters<typeof exportWork>[1] = {},
) {
  const services = servicesWith(lines)
  const listJobs: OperationServices['jobs']['listJobs'] = async ({ task_id, state }) => {
    const found = [jobRecord({ id: 32, task_id, state, start_frame: 2, stop_frame: 3 })]
    return { count: 1, results: state === 'completed' ? found : [] }
  }
  const work = exportWork({ only: { ...whole, ...only } }, target)
  const { result } = await exportDataset(
    work,
    await runOf(store, { ...services, jobs: { ...services.jobs, listJobs } }),
  )
  const data = JSON.parse((await (await archiveOf(result?.key)).text(instances)) ?? '{}')
  const names = new Map(
    data.images.map((one: { id: number }) => [one.id, Reflect.get(one, 'file_name')]),
  )
  return {
    images: [...names.values()],
    annotations: data.annotations.map((one: { image_id: number }) => names.get(one.image_id)),
  }
}

describe('a selection', () => {
  test('by frames interpolates a track on each of them', async () => {
    const spans = [
      { first: 1, last: 1 },
      { first: 3, last: 9 },
    ]
    const lines = [shapeAt(0), shapeAt(1), trackAt(2)]
    expect(await selected({ frames: spans }, lines)).toEqual({
      images: ['b.jpg', 'd.jpg'],
      annotations: ['b.jpg', 'd.jpg'],
    })
  })

  test('by labels', async () => {
    const lines = [shapeAt(0), trackAt(1)]
    const none = await selected({ label_id: [2] }, lines)
    expect([none.images.length, none.annotations]).toEqual([4, []])
    const all = await selected({ label_id: [1, 2] }, lines)
    expect(all.annotations).toEqual(['a.jpg', 'b.jpg'])
  })

  test('by score keeps tracks, which have no score', async () => {
    const lines = [shapeAt(0, 0.4), shapeAt(1, 0.5), trackAt(2)]
    const { annotations } = await selected({ min_score: 0.5 }, lines)
    expect(annotations).toEqual(['b.jpg', 'c.jpg', 'd.jpg'])
  })

  test('by job state', async () => {
    const lines = [shapeAt(1), shapeAt(2)]
    expect(await selected({ job_state: 'completed' }, lines)).toEqual({
      images: ['c.jpg', 'd.jpg'],
      annotations: ['c.jpg'],
    })
    expect((await selected({ job_state: 'rejected' }, lines)).images).toEqual([])
  })

  test('of annotated frames applies after the other selections', async () => {
    const hidden = { ...keyframe(3), outside: true }
    const lines = [shapeAt(0, 0.1), shapeAt(1), trackAt(2, hidden)]
    expect((await selected({ only_annotated: true }, lines)).images).toEqual([
      'a.jpg',
      'b.jpg',
      'c.jpg',
    ])
    const sure = await selected({ only_annotated: true, min_score: 0.5 }, lines)
    expect(sure).toEqual({ images: ['b.jpg', 'c.jpg'], annotations: ['b.jpg', 'c.jpg'] })
  })
})
