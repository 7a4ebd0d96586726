import { testDb } from '@reticle/kit/testing/db'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { depsOf, openJob, openWorkspace, openWorkspaces } from '../testing/workspace.ts'
import { annotationHandlers } from './rpc.ts'

/** Reads and writes of whole tasks whose jobs have frames 0 to 4, 5 to 9 and 10 to 14. */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { workspaces, add } = openWorkspaces()
const service = annotationHandlers(depsOf(db, workspaces))
const setUp = () => openWorkspace(service, add)

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const at = (frame: number, given: object = {}) => ({
  type: 'rectangle',
  frame,
  points: [frame, 0, 1, 1],
  ...given,
})
const track = { frame: 1, label_id: 40, shapes: [at(1), at(4), at(7), at(12, { outside: true })] }

test('each object is stored in the job of its frame, and the task returns all of them in order', async () => {
  const { task, job, second } = setUp()
  const frames = [12, 7, 2, 6]
  const { set } = await task.put({ shapes: frames.map((frame) => ({ ...box, frame })) })
  expect(set.shapes.map((one) => one.frame)).toEqual(frames)
  expect((await task.get()).set.shapes.map((one) => one.frame)).toEqual([2, 6, 7, 12])
  expect((await job.get()).set.shapes.map((one) => one.frame)).toEqual([2])
  expect((await second.get()).set.shapes.map((one) => one.frame)).toEqual([6, 7])
})

test('a PUT to a task raises the revision only of jobs with objects before or after it', async () => {
  const { task, job, workspace } = setUp()
  await job.put({ shapes: [box] })
  await task.put({ shapes: [{ ...box, frame: 7 }] })
  const [first, second] = workspace.notifications.at(-1)?.change.jobs ?? []
  expect(first).toMatchObject({ revision: 2, shapes: 1, is_annotated: false })
  expect(second).toMatchObject({ revision: 1, shapes: 1, is_annotated: true })
  expect(workspace.notifications.at(-1)?.change.jobs).toHaveLength(2)
})

test('a frame beyond the task is rejected', async () => {
  await expect(setUp().task.put({ shapes: [{ ...box, frame: 15 }] })).rejects.toMatchObject({
    code: 'frame_out_of_range',
  })
})

describe('a ground-truth job', () => {
  const setUpTruth = () => {
    const { workspace, ...rest } = setUp()
    const id = workspace.task_id * 10 + 9
    workspace.truth = { id, start_frame: 0, stop_frame: 14, frames: [2, 12] }
    return { ...rest, workspace, truth: openJob(service, id) }
  }

  test('a ground-truth job has separate annotations, which the task does not include', async () => {
    const { task, truth, workspace } = setUpTruth()
    await task.put({ shapes: [box] })
    const shapes = [2, 12].map((frame) => ({ ...box, frame }))
    const moving = { ...track, frame: 2, shapes: [at(2), at(12)] }
    await truth.put({ shapes, tags: [{ frame: 12, label_id: 40 }], tracks: [moving] })
    const stored = (await truth.get()).set
    expect(stored.shapes.map((one) => one.frame)).toEqual([2, 12])
    expect([stored.tags.length, stored.tracks.length]).toEqual([1, 1])
    const ofTask = (await task.get()).set
    expect([ofTask.shapes.length, ofTask.tags.length, ofTask.tracks.length]).toEqual([1, 0, 0])
    expect(workspace.notifications.at(-1)?.change.jobs).toMatchObject([
      { job_id: workspace.truth?.id, is_annotated: true },
    ])
    const [found] = stored.shapes
    const deleted = await task.patch('delete', { shapes: [found] })
    expect(deleted.set.shapes).toEqual([])
    await task.put({ tracks: [track] })
    const withTrack = (await task.get()).set
    expect([withTrack.shapes, withTrack.tags, withTrack.tracks.length]).toEqual([[], [], 1])
    await task.clear()
    expect((await truth.get()).set.shapes).toHaveLength(2)
  })

  test.each([
    ['a shape', { shapes: [{ ...box, frame: 3 }] }, 'shapes'],
    ['a tag', { tags: [{ frame: 13, label_id: 40 }] }, 'tags'],
  ])('a ground-truth job accepts %s only on its frames', async (_, set, kind) => {
    const { truth } = setUpTruth()
    await expect(truth.put(set)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'frame_out_of_range',
      body: {
        [kind]: [{ frame: [expect.stringContaining('is not one of this ground truth job')] }],
      },
    })
    expect((await truth.get()).set.shapes).toEqual([])
  })

  test('a ground-truth job accepts keyframes only on its frames', async () => {
    const moving = { ...track, frame: 2, shapes: [at(2), at(3)] }
    const attempt = setUpTruth().truth.patch('create', { tracks: [moving] })
    await expect(attempt).rejects.toMatchObject({ code: 'frame_out_of_range' })
  })
})

describe('a track over several jobs', () => {
  test('a track is stored in pieces, each ending at its job border, and read as one track', async () => {
    const { task, job, second } = setUp()
    const { set } = await task.put({ tracks: [track, { ...track, group: 5 }] })
    expect((await task.get()).set.tracks).toEqual(set.tracks)
    expect(set.tracks[0]?.shapes.map((one) => one.frame)).toEqual([1, 4, 5, 7, 9, 10, 12])
    const framesIn = async (one: typeof job) =>
      (await one.get()).set.tracks.map(({ frame, shapes }) => [
        frame,
        ...shapes.map((s) => s.frame),
      ])
    expect(await framesIn(job)).toEqual([
      [1, 1, 4],
      [1, 1, 4],
    ])
    expect(await framesIn(second)).toEqual([
      [5, 5, 7, 9],
      [5, 5, 7, 9],
    ])
  })

  test('a skeleton track over several jobs is read with whole elements', async () => {
    const { task } = setUp()
    const element = (label_id: number, frames: number[]) => ({
      ...{ frame: 1, label_id },
      shapes: frames.map((frame) => at(frame, { type: 'points', points: [frame, 1] })),
    })
    const parents = [1, 6].map((frame) => ({ type: 'skeleton', frame }))
    const skeleton = {
      frame: 1,
      label_id: 41,
      shapes: parents,
      elements: [element(42, [1, 6, 11]), element(43, [1])],
    }
    const { set } = await task.put({ tracks: [skeleton] })
    expect((await task.get()).set.tracks).toEqual(set.tracks)
    expect(set.tracks[0]?.elements.map((one) => one.shapes.map((shape) => shape.frame))).toEqual([
      [1, 4, 5, 6, 9, 10, 11],
      [1, 5, 10],
    ])
  })

  test('an update keeps the id of the track in the first job and the ids of its pieces elsewhere', async () => {
    const { task, second } = setUp()
    const { set } = await task.put({ tracks: [track] })
    const before = (await second.get()).set.tracks[0]
    const shapes = [at(2), at(8)]
    const { set: changed } = await task.patch('update', {
      tracks: [{ id: set.tracks[0]?.id, shapes }],
    })
    expect(changed.tracks).toMatchObject([
      { id: set.tracks[0]?.id, shapes: [2, 4, 5, 8, 10].map((frame) => ({ frame })) },
    ])
    expect((await task.get()).set.tracks).toEqual(changed.tracks)
    expect((await second.get()).set.tracks[0]?.id).toBe(before?.id)
    const rows = await db
      .selectFrom('jobs')
      .select(['job_id', 'tracks'])
      .where('task_id', '=', workspaces.at(-1)?.task_id ?? 0)
      .orderBy('job_id')
      .execute()
    expect(rows.map((row) => row.tracks)).toEqual([1, 1, 1])
  })

  test('a track that moves into later jobs keeps its id', async () => {
    const { task } = setUp()
    const { set } = await task.put({ tracks: [track] })
    const id = set.tracks[0]?.id
    const { set: changed } = await task.patch('update', {
      tracks: [{ id, frame: 6, shapes: [at(6), at(11)] }],
    })
    expect(changed.tracks[0]?.id).toBe(id)
    expect((await task.get()).set.tracks).toEqual(changed.tracks)
  })

  test('the deletion of a track removes its pieces in all jobs', async () => {
    const { task, second } = setUp()
    const { set } = await task.put({ tracks: [track, track] })
    const { set: deleted } = await task.patch('delete', { tracks: [{ id: set.tracks[0]?.id }] })
    expect(deleted.tracks).toEqual([set.tracks[0]])
    expect((await task.get()).set.tracks).toEqual([set.tracks[1]])
    expect((await second.get()).set.tracks).toHaveLength(1)
  })

  test('a change of a piece through its job appears in the track of the task', async () => {
    const { task, second } = setUp()
    await task.put({ tracks: [track] })
    const piece = (await second.get()).set.tracks[0]
    await second.patch('update', { tracks: [{ id: piece?.id, shapes: [at(8), at(9)] }] })
    const { set } = await task.get()
    expect(set.tracks[0]?.shapes[2]).toMatchObject({ frame: 5, outside: true })
    expect(set.tracks.map((one) => one.shapes.map((shape) => shape.frame))).toEqual([
      [1, 4, 5, 8, 9, 10, 12],
    ])
  })

  test('a large response contains each track once', async () => {
    const { task } = setUp()
    const tracks = Array.from({ length: 150 }, (_, n) => ({ ...track, group: n }))
    const { set } = await task.put({ tracks, shapes: Array.from({ length: 2000 }, () => box) })
    expect(set.tracks.map((one) => one.group)).toEqual(tracks.map((one) => one.group))
    expect((await task.get()).set.tracks).toEqual(set.tracks)
  })
})

test('a shape that an update of the task moves to another frame moves to the job of that frame', async () => {
  const { task, job, second } = setUp()
  const { set } = await task.put({ shapes: [box] })
  await task.patch('update', { shapes: [{ id: set.shapes[0]?.id, frame: 9 }] })
  expect((await job.get()).set.shapes).toEqual([])
  expect((await second.get()).set.shapes).toMatchObject([{ id: set.shapes[0]?.id, frame: 9 }])
})
