import { beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Annotations of tasks with several jobs. See docs/spec/annotations.md#task-level. */

const reticle = useTestServer()
const { newPerson } = createUserFactory(() => reticle)
let api: ApiClient
beforeAll(async () => {
  api = (await newPerson()).api
})

/** Creates a task of ten frames, with clients for its annotations and those of its jobs. */
async function taskOf(segment_size: number, overlap: number) {
  const sublabels = ['head', 'foot'].map((name) => ({ name, type: 'points' }))
  const labels = [{ name: 'car' }, { name: 'person', type: 'skeleton', sublabels, svg }]
  const json = { name: 'shared out', labels, segment_size, overlap }
  const { id } = await api.done('POST', '/tasks', { json })
  const form = formOf(await createImages(10, 4, 4))
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
  const { results } = await api.done('GET', `/labels?task_id=${id}&sort=id`)
  const [car, person] = results
  const parts: number[] = person.sublabels.map((one: AnyJson) => one.id)
  const jobs = await jobsOf(api, id)
  const own = annotationsOf(`/tasks/${id}`)
  const ofJobs = jobs.map((job) => annotationsOf(`/jobs/${job.id}`))
  const [first = own, second = own] = ofJobs
  return { car: car.id, person: person.id, parts, task: own, jobs: ofJobs, first, second }
}

const svg = ['head', 'foot']
  .map(
    (name, n) =>
      `<circle r="1" cx="${n}" cy="${n}" data-type="element node" data-element-id="${n + 1}" data-node-id="${n + 1}" data-label-name="${name}"></circle>`,
  )
  .join('')

function annotationsOf(path: string) {
  const route = `${path}/annotations/`
  return {
    get: () => api.done('GET', route),
    put: (json: AnyJson) => api.done('PUT', route, { json }),
    patch: (action: string, json: AnyJson) =>
      api.done('PATCH', `${route}?action=${action}`, { json }),
    tryPut: (json: AnyJson) => api.call('PUT', route, { json }),
    tryPatch: (action: string, json: AnyJson) =>
      api.call('PATCH', `${route}?action=${action}`, { json }),
  }
}

const framesOf = ({ shapes }: AnyJson) =>
  shapes.map((one: AnyJson) => `${one.frame}${one.outside ? 'x' : ''}`).join(' ')
const tracksIn = (set: AnyJson) => set.tracks.map(framesOf)
const keyframe = (frame: number, given: AnyJson = {}) => ({
  ...{ type: 'rectangle', frame, points: [10 * frame, 0, 10 * frame + 10, 10] },
  ...given,
})
const trackOf = (label_id: number, shapes: AnyJson[], given: AnyJson = {}) => ({
  ...{ label_id, frame: shapes[0]?.frame, shapes },
  ...given,
})

describe('a track of a task with keyframes at 0 and 9', () => {
  const line = (frame: number) =>
    keyframe(frame, { type: 'polyline', points: [0, frame, 10, 2 * frame, 20, 0] })

  test.each([
    ['rectangle', 2, ['0 4', '3 7', '6 9'], '0 3 4 6 7 9'],
    ['rectangle', 0, ['0 4', '5 9'], '0 4 5 9'],
    ['polyline', 2, ['0 4', '3 7', '6 9'], '0 3 4 6 7 9'],
    ['polyline', 0, ['0 4', '5 9'], '0 4 5 9'],
  ])(
    'a %s track is split over jobs of five frames with an overlap of %i',
    async (type, overlap, pieces, whole) => {
      const { car, task, jobs } = await taskOf(5, overlap)
      const shape = type === 'polyline' ? line : keyframe
      const { tracks } = await task.put({ tracks: [trackOf(car, [shape(0), shape(9)])] })
      const stored = await Promise.all(jobs.map((job) => job.get()))
      expect(stored.flatMap(tracksIn)).toEqual(pieces)
      const shown = await task.get()
      expect(tracksIn(shown)).toEqual([whole])
      expect(shown.tracks).toEqual(tracks)
      expect(shown.tracks[0].id).toBe(stored[0].tracks[0].id)
      if (type === 'rectangle') {
        const lefts = shown.tracks[0].shapes.map((one: AnyJson) => one.points[0])
        expect(lefts).toEqual(whole.split(' ').map((frame) => 10 * Number(frame)))
      }
      const again = await task.put(shown)
      expect(tracksIn(again)).toEqual([whole])
    },
  )

  test('an update and a delete reach the track in all its jobs', async () => {
    const { car, task, jobs, second } = await taskOf(5, 2)
    const { tracks } = await task.put({ tracks: [trackOf(car, [keyframe(0), keyframe(9)])] })
    const ids = await Promise.all(jobs.map(async (job) => (await job.get()).tracks[0].id))
    const [id] = ids
    await task.patch('update', { tracks: [{ id, group: 4 }] })
    for (const [index, job] of jobs.entries())
      expect((await job.get()).tracks).toMatchObject([{ id: ids[index], group: 4 }])
    const shorter = [keyframe(0), keyframe(2, { outside: true })]
    const { tracks: cut } = await task.patch('update', {
      tracks: [{ id: ids[1], shapes: shorter }],
    })
    expect(cut).toMatchObject([{ id, group: 4, label_id: tracks[0].label_id }])
    expect(tracksIn(await task.get())).toEqual(['0 2x'])
    expect((await second.get()).tracks).toEqual([])
    await task.patch('delete', { tracks: [{ id }] })
    for (const job of jobs) expect((await job.get()).tracks).toEqual([])
  })
})

describe('a shape of a task on a frame of two jobs', () => {
  test('both jobs store the shape, the task shows it once, and an update changes both', async () => {
    const { car, task, jobs, first, second } = await taskOf(5, 2)
    const line = { type: 'polyline', frame: 3, label_id: car, points: [0, 0, 9, 9] }
    const { shapes } = await task.put({ shapes: [line] })
    expect((await task.get()).shapes).toEqual(shapes)
    const [own, copy, none] = await Promise.all(jobs.map((job) => job.get()))
    expect(own.shapes).toEqual(shapes)
    expect(copy.shapes).toMatchObject([{ frame: 3, points: [0, 0, 9, 9] }])
    expect(none.shapes).toEqual([])
    const other = copy.shapes[0].id
    expect(other).not.toBe(shapes[0].id)

    const { shapes: changed } = await task.patch('update', {
      shapes: [{ id: other, points: [1, 1, 8, 8] }],
    })
    expect(changed).toEqual([{ ...shapes[0], points: [1, 1, 8, 8] }])
    expect((await first.get()).shapes).toEqual(changed)
    expect((await second.get()).shapes).toEqual([{ ...changed[0], id: other }])

    await task.patch('update', { shapes: [{ id: shapes[0].id, frame: 9 }] })
    const frames = await Promise.all(
      jobs.map(async (job) => (await job.get()).shapes.map((one: AnyJson) => one.frame)),
    )
    expect(frames).toEqual([[], [], [9]])
    const { shapes: deleted } = await task.patch('delete', { shapes: [{ id: shapes[0].id }] })
    expect(deleted).toMatchObject([{ frame: 9 }])
    expect((await task.get()).shapes).toEqual([])
  })

  test('the shape may appear once only in a request, whichever of its ids is used', async () => {
    const { car, task, jobs } = await taskOf(5, 2)
    await task.put({ tags: [{ frame: 4, label_id: car }] })
    const [first, second] = await Promise.all(jobs.map((job) => job.get()))
    const tags = [{ id: first.tags[0].id }, { id: second.tags[0].id }]
    for (const action of ['update', 'delete']) {
      const { status, body } = await task.tryPatch(action, { tags })
      expect([status, body]).toEqual([
        400,
        { tags: [{}, { id: [`${tags[1]?.id} is given twice`] }] },
      ])
    }
    expect((await task.get()).tags).toHaveLength(1)
  })

  test('shapes that two jobs drew separately are merged when they overlap by three quarters', async () => {
    const { car, task, first, second } = await taskOf(5, 2)
    const box = (right: number) => ({
      shapes: [{ type: 'rectangle', frame: 3, label_id: car, points: [0, 0, right, 10] }],
    })
    const { shapes } = await first.put(box(100))
    await second.put(box(75))
    expect((await task.get()).shapes).toEqual(shapes)
    await second.put(box(74))
    expect((await task.get()).shapes).toHaveLength(2)
    const twice = box(50).shapes.concat(box(50).shapes)
    await task.put({ shapes: twice })
    expect((await task.get()).shapes).toHaveLength(2)
  })

  test('the shape is merged into one across any number of overlapping jobs', async () => {
    const { car, task, jobs } = await taskOf(4, 2)
    const { shapes } = await task.put({
      shapes: [{ type: 'ellipse', frame: 5, label_id: car, points: [5, 5, 2, 1] }],
    })
    const held = await Promise.all(jobs.map(async (job) => (await job.get()).shapes.length))
    expect(held).toEqual([0, 1, 1, 0])
    expect((await task.get()).shapes).toEqual(shapes)
  })
})

describe('a skeleton of a task', () => {
  test('a hidden element of a skeleton track stays hidden across the border of two jobs', async () => {
    const { person, parts, task, jobs } = await taskOf(5, 0)
    const joint = (frame: number, given: AnyJson = {}) =>
      keyframe(frame, { type: 'points', points: [frame, frame], ...given })
    const elements = [
      trackOf(parts[0] ?? 0, [joint(0), joint(3, { outside: true }), joint(8)]),
      trackOf(parts[1] ?? 0, [joint(0), joint(9)]),
    ]
    const walker = trackOf(person, [keyframe(0, { type: 'skeleton', points: [] })], { elements })
    const { tracks } = await task.put({ tracks: [walker] })
    const [first, second] = await Promise.all(jobs.map((job) => job.get()))
    expect(first.tracks[0].elements.map(framesOf)).toEqual(['0 3x', '0 4'])
    expect(second.tracks[0].elements.map(framesOf)).toEqual(['5x 8', '5 9'])
    const shown = await task.get()
    expect(shown.tracks).toEqual(tracks)
    expect(shown.tracks[0].elements.map(framesOf)).toEqual(['0 3x 5x 8', '0 4 5 9'])
    expect(shown.tracks[0].elements[1].shapes[1].points).toEqual([4, 4])
  })

  test('skeleton shapes are distinguished by their elements', async () => {
    const { person, parts, task } = await taskOf(5, 2)
    const one = (x: number) => ({
      ...{ type: 'skeleton', frame: 4, label_id: person },
      elements: parts.map((label_id) => ({ type: 'points', frame: 4, label_id, points: [x, x] })),
    })
    const { shapes } = await task.put({ shapes: [one(1), one(2)] })
    expect((await task.get()).shapes).toEqual(shapes)
  })
})

test('a task returns the same objects that were written to it, on every frame', async () => {
  const { car, task } = await taskOf(4, 1)
  const shapes = Array.from({ length: 100 }, (_, n) => ({
    ...{ type: 'polygon', frame: n % 10, label_id: car, group: n },
    points: [n, 0, n + 7.25, 3, n / 3, 11],
  }))
  const tracks = Array.from({ length: 40 }, (_, n) => {
    const frames = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter(
      (frame) => (n * 7 + frame * frame) % 4 === 0,
    )
    const moves = frames.map((frame) =>
      keyframe(frame, {
        points: [n + frame, n, n + 20 + frame / 3, 50],
        outside: (n * frame) % 5 === 3,
      }),
    )
    return trackOf(car, moves.length > 0 ? moves : [keyframe(5)], { group: n })
  })
  const put = await task.put({ shapes, tracks })
  const shown = await task.get()
  expect(shown.shapes.toSorted((a: AnyJson, b: AnyJson) => a.id - b.id)).toEqual(put.shapes)
  expect(put.shapes.map((one: AnyJson) => one.points)).toEqual(shapes.map((one) => one.points))
  expect(shown.tracks).toEqual(put.tracks)
  for (const [index, track] of shown.tracks.entries()) {
    for (let frame = 0; frame < 10; frame += 1) {
      const [before, after] = [
        placeAt(tracks[index]?.shapes ?? [], frame),
        placeAt(track.shapes, frame),
      ]
      expect(after.length).toBe(before.length)
      for (const [at, value] of after.entries()) expect(value).toBeCloseTo(before[at] ?? NaN, 9)
    }
  }
})

test('keyframes beyond the last frame of a job are cut off, and a track outside of the job is refused', async () => {
  const { car, task, first } = await taskOf(5, 0)
  const { tracks } = await first.put({ tracks: [trackOf(car, [keyframe(2), keyframe(8)])] })
  expect(tracks[0].shapes.map((one: AnyJson) => one.points[0])).toEqual([20, 40])
  for (const path of [first, task]) {
    const late = [trackOf(car, [keyframe(1)]), trackOf(car, [keyframe(12), keyframe(15)])]
    const { status, body, headers } = await path.tryPut({ tracks: late })
    expect([status, headers.get('x-error-code')]).toEqual([400, 'frame_out_of_range'])
    expect(body).toEqual({ tracks: [{}, { frame: [expect.any(String)] }] })
  }
  expect((await first.get()).tracks).toEqual(tracks)
})

test('a track visible to the end of its job is hidden from the start of the next job', async () => {
  const { car, task, first } = await taskOf(5, 2)
  await first.put({ tracks: [trackOf(car, [keyframe(0), keyframe(2)])] })
  const { tracks } = await task.get()
  expect(tracks.map(framesOf)).toEqual(['0 2 5x'])
  expect(tracks[0].shapes[2]).toMatchObject({
    points: keyframe(2).points,
    keyframe: true,
    id: null,
  })
  const following = await taskOf(5, 0)
  await following.first.put({ tracks: [trackOf(following.car, [keyframe(4)])] })
  expect(tracksIn(await following.task.get())).toEqual(['4 5x'])
  await following.second.put({ tracks: [trackOf(following.car, [keyframe(5)])] })
  expect(tracksIn(await following.task.get())).toEqual(['4 5x', '5'])
})

/**
 * Computes the numbers of a track of rectangles on a frame independently of the service; empty while the track is
 * hidden.
 */
function placeAt(shapes: AnyJson[], frame: number): number[] {
  const left = shapes.findLast((one) => one.frame <= frame)
  const right = shapes.find((one) => one.frame > frame)
  if (!left || left.outside) return []
  if (!right || left.frame === frame) return left.points
  const share = (frame - left.frame) / (right.frame - left.frame)
  return left.points.map((value: number, at: number) => value + (right.points[at] - value) * share)
}
