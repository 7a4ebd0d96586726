import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** Frames disabled in ground truth, which the task keeps. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, worker] = [await addUser(), await addUser('worker')]

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { tasks, jobs, media } = services

  /** Adds a task of ten images whose frames 1, 4 and 6 are ground truth. */
  async function setUp() {
    const { id } = await tasks.createTask({ body: { name: 't', segment_size: 5 } }, anna.call)
    await attachFrames(services, id, 10, anna)
    const wanted = { frame_selection_method: 'manual' as const, frames: [1, 4, 6] }
    const body = { type: 'ground_truth' as const, task_id: id, ...wanted }
    const truth = await jobs.createJob({ body }, anna.call)
    await takeEvents()
    return { id, truth: truth.id }
  }
  const ofTask = (id: number, deleted_frames: number[]) =>
    media.updateTaskDataMeta({ id, body: { deleted_frames } }, anna.call)
  const ofTruth = (id: number, deleted_frames?: number[], user = anna) =>
    media.updateJobDataMeta({ id, body: { deleted_frames } }, user.call)
  const deletedOf = async (id: number) =>
    (await media.getTaskDataMeta({ id }, anna.call)).deleted_frames
  const disabledOf = async (id: number) =>
    (await tasks.getTaskValidationLayout({ id }, anna.call)).disabled_frames

  test('a frame deleted through its ground-truth job is disabled there and stays in the task', async () => {
    const { id, truth } = await setUp()
    const meta = await ofTruth(truth, [6])
    expect(meta).toMatchObject({ size: 3, included_frames: [1, 4, 6], deleted_frames: [6] })
    expect([await deletedOf(id), await disabledOf(id)]).toEqual([[], [6]])
    expect(await media.getJobDataMeta({ id: truth }, anna.call)).toEqual(meta)
    const { results } = await jobs.listJobs({ task_id: id, type: 'annotation' }, anna.call)
    for (const job of results)
      expect(await media.getJobDataMeta({ id: job.id }, anna.call)).toMatchObject({
        deleted_frames: [],
      })
  })

  test('restoring frames through the job enables disabled frames but restores none of the task', async () => {
    const { id, truth } = await setUp()
    await ofTask(id, [0, 4])
    const layout = { disabled_frames: [1] }
    await tasks.updateTaskValidationLayout({ id, body: layout }, anna.call)
    await ofTruth(truth, [1, 4, 6])
    expect([await deletedOf(id), await disabledOf(id)]).toEqual([
      [0, 4],
      [1, 6],
    ])
    expect(await ofTruth(truth, [])).toMatchObject({ deleted_frames: [4] })
    expect([await deletedOf(id), await disabledOf(id)]).toEqual([[0, 4], []])
  })

  test('sending back a frame that only the task deleted does not disable it', async () => {
    const { id, truth } = await setUp()
    await ofTask(id, [4])
    const { deleted_frames } = await ofTruth(truth, [4, 6])
    expect(deleted_frames).toEqual([4, 6])
    await ofTask(id, [])
    expect(await ofTruth(truth)).toMatchObject({ deleted_frames: [6] })
    expect(await disabledOf(id)).toEqual([6])
  })

  test('a frame that both task and job deleted stays disabled when the task restores it', async () => {
    const { id, truth } = await setUp()
    await ofTruth(truth, [4])
    await ofTask(id, [4])
    await ofTask(id, [])
    expect([await deletedOf(id), await disabledOf(id)]).toEqual([[], [4]])
  })

  test('deleting frames of the task or of other jobs disables none', async () => {
    const { id, truth } = await setUp()
    const { results } = await jobs.listJobs({ task_id: id, type: 'annotation' }, anna.call)
    const first = results.find((job) => job.start_frame === 0)?.id ?? 0
    await media.updateJobDataMeta({ id: first, body: { deleted_frames: [1] } }, anna.call)
    expect([await deletedOf(id), await disabledOf(id)]).toEqual([[1], []])
    expect(await ofTruth(truth)).toMatchObject({ deleted_frames: [1] })
  })

  test.each([[[0]], [[6, 9]], [[10]]])(
    'frames outside the ground truth are rejected: %j',
    async (frames) => {
      const { id, truth } = await setUp()
      await expect(ofTruth(truth, frames)).rejects.toMatchObject({
        kind: 'invalid',
        body: { deleted_frames: [`The frame ${frames.at(-1)} is not in this job.`] },
      })
      expect([await deletedOf(id), await disabledOf(id)]).toEqual([[], []])
    },
  )

  test('job and task emit one event each; a change without effect emits none', async () => {
    const { id, truth } = await setUp()
    await ofTruth(truth, [6])
    const events = await takeEvents()
    expect(events).toMatchObject([
      { type: 'update:job', data: { job: { id: truth } } },
      { type: 'update:task', data: { task: { id } } },
    ])
    await ofTruth(truth, [6])
    await ofTruth(truth)
    expect(await takeEvents()).toEqual([])
  })

  test('working job staff may change the frames, with If-Match of the job', async () => {
    const { id, truth } = await setUp()
    await expect(ofTruth(truth, [1], worker)).rejects.toMatchObject({ kind: 'forbidden' })
    const seat = { assignee_id: worker.id }
    await db.updateTable('jobs').set(seat).where('id', '=', truth).execute()
    const body = { deleted_frames: [1] }
    const stale = media.updateJobDataMeta({ id: truth, if_match: '"x"', body }, worker.call)
    await expect(stale).rejects.toMatchObject({ kind: 'precondition' })
    await ofTruth(truth, [1], worker)
    expect(await disabledOf(id)).toEqual([1])
  })

  test('exports and statistics of the job omit disabled frames, those of the task do not', async () => {
    const { id, truth } = await setUp()
    await ofTask(id, [2])
    await ofTruth(truth, [6])
    const deleted = async (job_id?: number) =>
      (await media.getDeletedFrames({ task_id: id, job_id }, anna.call)).frames
    expect([await deleted(), await deleted(truth)]).toEqual([[2], [2, 6]])
    const extentOf = async (target: 'task' | 'job', id: number) =>
      (await media.listExtents({ target, id }, anna.call)).tasks[0]?.deleted
    expect(await extentOf('task', id)).toEqual([{ start: 2, stop: 2 }])
    expect(await extentOf('job', truth)).toEqual([
      { start: 2, stop: 2 },
      { start: 6, stop: 6 },
    ])
  })
})
