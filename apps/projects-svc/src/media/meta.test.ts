import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import {
  attachFrames,
  frameAt,
  frameLines,
  type TestUser,
  testWorkspace,
} from '../testing/workspace.ts'

/** Meta of media, deleted frames and locations of chunks. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]
const worker = await addUser('worker')
const forbidden = { kind: 'forbidden' }
const noData = { kind: 'invalid', body: ['Data is not uploaded for the task yet'] }

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, media } = services

  /** Adds a task of ten images in the jobs 0-4, 3-7 and 6-9, in a project. */
  async function addTask() {
    const project = await projects.createProject({ body: { name: 'p' } }, anna.call)
    const body = { name: 't', project_id: project.id, segment_size: 5, overlap: 2 }
    const { id } = await tasks.createTask({ body }, anna.call)
    await attachFrames(services, id, 10, anna)
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    const [first = 0, second = 0] = results.map((job) => job.id)
    await takeEvents()
    return { id, project_id: project.id, first, second }
  }
  const addTruth = async (task_id: number, frames: number[]) => {
    const wanted = { frame_selection_method: 'manual' as const, frames }
    const body = { type: 'ground_truth' as const, task_id, ...wanted }
    const { id } = await jobs.createJob({ body }, anna.call)
    await takeEvents()
    return id
  }
  const ofTask = (id: number, deleted_frames?: number[], user = anna) =>
    media.updateTaskDataMeta({ id, body: { deleted_frames } }, user.call)
  const ofJob = (id: number, deleted_frames?: number[], user = anna) =>
    media.updateJobDataMeta({ id, body: { deleted_frames } }, user.call)
  const deletedOf = async (id: number) =>
    (await media.getTaskDataMeta({ id }, anna.call)).deleted_frames
  const datesOf = async ({ id, project_id, first }: Awaited<ReturnType<typeof addTask>>) => ({
    project: (await projects.getProject({ id: project_id }, anna.call)).updated_date,
    task: (await tasks.getTask({ id }, anna.call)).updated_date,
    job: (await jobs.getJob({ id: first }, anna.call)).updated_date,
  })

  describe('deleted frames of a task', () => {
    test('are replaced as a whole and shown in the meta of the task and its jobs', async () => {
      const { id, first, second } = await addTask()
      const meta = await ofTask(id, [9, 0, 4])
      expect(meta).toMatchObject({ size: 10, deleted_frames: [0, 4, 9] })
      expect(meta.frames).toHaveLength(10)
      expect(await media.getTaskDataMeta({ id }, anna.call)).toEqual(meta)
      const partOf = (job: number) => media.getJobDataMeta({ id: job }, anna.call)
      expect(await partOf(first)).toMatchObject({ size: 5, deleted_frames: [0, 4] })
      expect(await partOf(second)).toMatchObject({ size: 5, deleted_frames: [4] })
      expect(await ofTask(id, [4, 5])).toMatchObject({ deleted_frames: [4, 5] })
      expect(await ofTask(id, [])).toMatchObject({ deleted_frames: [] })
    })

    test('move the dates of task, project and jobs and emit an event of the task', async () => {
      const task = await addTask()
      const before = await datesOf(task)
      await ofTask(task.id, [3])
      const record = await tasks.getTask({ id: task.id }, anna.call)
      expect(await takeEvents()).toMatchObject([
        {
          type: 'update:task',
          key: `task:${task.id}`,
          data: { task: record, before_update: { updated_date: before.task } },
        },
      ])
      const after = await datesOf(task)
      expect(after.project > before.project && after.task > before.task).toBe(true)
      expect(after.job > before.job).toBe(true)
    })

    test('that do not change emit no event and move no date', async () => {
      const task = await addTask()
      await ofTask(task.id, [3, 5])
      await takeEvents()
      const before = await datesOf(task)
      const meta = await ofTask(task.id, [5, 3])
      expect(await ofTask(task.id)).toEqual(meta)
      expect(await datesOf(task)).toEqual(before)
      expect(await takeEvents()).toEqual([])
    })

    test.each([[[10]], [[-1]], [[0, 2_147_483_647]]])(
      'outside the task are rejected (%j) without any effect',
      async (frames) => {
        const { id } = await addTask()
        await ofTask(id, [1])
        const unknown = frames.at(-1)
        await expect(ofTask(id, frames)).rejects.toMatchObject({
          kind: 'invalid',
          body: { deleted_frames: [`The frame ${unknown} is not in this task.`] },
        })
        expect(await deletedOf(id)).toEqual([1])
      },
    )

    test('are returned for exports', async () => {
      const { id } = await addTask()
      await ofTask(id, [7, 2])
      expect(await media.getDeletedFrames({ task_id: id }, anna.call)).toEqual({ frames: [2, 7] })
      const missing = media.getDeletedFrames({ task_id: 999_999 }, anna.call)
      await expect(missing).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('are not part of the media facts', async () => {
      const { id } = await addTask()
      expect(await media.getMediaFacts({ task_id: id }, anna.call)).toEqual({
        start_frame: 0,
        stop_frame: 9,
        frame_filter: '',
        video_name: null,
      })
      const missing = media.getMediaFacts({ task_id: 999_999 }, anna.call)
      await expect(missing).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('can still be read', async () => {
      const { id, first } = await addTask()
      await ofTask(id, [2])
      const locate = { number: 2, preview: false }
      const frame = await media.locateFrame({ target: 'task', id, ...locate }, anna.call)
      expect(frame).toMatchObject({ ...frameAt(2), frame: 2 })
      const inJob = await media.locateFrame({ target: 'job', id: first, ...locate }, anna.call)
      expect(inJob).toEqual(frame)
    })

    test('are changed only with a current If-Match, if one is sent', async () => {
      const { id } = await addTask()
      const change = (if_match: string) =>
        media.updateTaskDataMeta({ id, if_match, body: { deleted_frames: [1] } }, anna.call)
      await expect(change('"other"')).rejects.toMatchObject({ kind: 'precondition' })
      expect(await deletedOf(id)).toEqual([])
      const { updated_date } = await tasks.getTask({ id }, anna.call)
      const present = `"${id}-${new Date(updated_date).getTime().toString(36)}"`
      expect(await change(present)).toMatchObject({ deleted_frames: [1] })
      await expect(change(present)).rejects.toMatchObject({ kind: 'precondition' })
    })

    test('require media, and a cloud storage cannot be set for local media', async () => {
      const { id } = await tasks.createTask({ body: { name: 't' } }, anna.call)
      await expect(ofTask(id, [])).rejects.toMatchObject(noData)
      await expect(ofTask(id)).rejects.toMatchObject(noData)
      const task = await addTask()
      const bucket = (cloud_storage_id: number | null) =>
        media.updateTaskDataMeta({ id: task.id, body: { cloud_storage_id } }, anna.call)
      await expect(bucket(1)).rejects.toMatchObject({
        body: { cloud_storage_id: ['The media of this task is in no cloud storage.'] },
      })
      expect(await bucket(null)).toMatchObject({ cloud_storage_id: null })
    })

    test('can be changed by working task staff and read by users who may view the task', async () => {
      const { id } = await addTask()
      await expect(ofTask(id, [1], bo)).rejects.toMatchObject(forbidden)
      await expect(ofTask(id, undefined, bo)).rejects.toMatchObject(forbidden)
      await expect(ofTask(999_999, [1])).rejects.toMatchObject({ kind: 'not_found' })
      const assign = (assignee_id: number) =>
        db.updateTable('tasks').set({ assignee_id }).where('id', '=', id).execute()
      await assign(worker.id)
      expect(await ofTask(id, [1], worker)).toMatchObject({ deleted_frames: [1] })
      const stranger = await addUser(null)
      await assign(stranger.id)
      expect(await ofTask(id, undefined, stranger)).toMatchObject({ deleted_frames: [1] })
      await expect(ofTask(id, [2], stranger)).rejects.toMatchObject(forbidden)
    })
  })

  describe('deleted frames of a job', () => {
    test('replace only those of the task within the job', async () => {
      const { id, second } = await addTask()
      await ofTask(id, [1, 4, 9])
      expect(await ofJob(second, [7, 5])).toMatchObject({ size: 5, deleted_frames: [5, 7] })
      expect(await deletedOf(id)).toEqual([1, 5, 7, 9])
      expect(await ofJob(second, [])).toMatchObject({ deleted_frames: [] })
      expect(await deletedOf(id)).toEqual([1, 9])
    })

    test('move the dates of job, task and project, and both emit an event', async () => {
      const task = await addTask()
      const before = await datesOf(task)
      await ofJob(task.first, [0])
      const job = await jobs.getJob({ id: task.first }, anna.call)
      expect(await takeEvents()).toMatchObject([
        { type: 'update:task', data: { task: { id: task.id } } },
        { type: 'update:job', data: { job, before_update: { updated_date: before.job } } },
      ])
      const after = await datesOf(task)
      expect(after.project > before.project && after.task > before.task).toBe(true)
      expect(after.job > before.job).toBe(true)
    })

    test.each([2, 8])('outside the job are rejected: %i', async (frame) => {
      const { id, second } = await addTask()
      await expect(ofJob(second, [5, frame])).rejects.toMatchObject({
        body: { deleted_frames: [`The frame ${frame} is not in this job.`] },
      })
      expect(await deletedOf(id)).toEqual([])
    })

    test('can be changed by working job staff, with If-Match of the job', async () => {
      const { first } = await addTask()
      await expect(ofJob(first, [1], worker)).rejects.toMatchObject(forbidden)
      await expect(ofJob(999_999, [1])).rejects.toMatchObject({ kind: 'not_found' })
      const seat = { assignee_id: worker.id }
      await db.updateTable('jobs').set(seat).where('id', '=', first).execute()
      expect(await ofJob(first, [1], worker)).toMatchObject({ deleted_frames: [1] })
      const body = { deleted_frames: [] }
      const stale = media.updateJobDataMeta({ id: first, if_match: '"x"', body }, anna.call)
      await expect(stale).rejects.toMatchObject({ kind: 'precondition' })
    })
  })

  describe('the media of a project', () => {
    test('is counted over all of its tasks', async () => {
      const { id, project_id } = await addTask()
      const metaOf = (user: TestUser) => media.getProjectDataMeta({ id: project_id }, user.call)
      await ofTask(id, [1, 2])
      const body = { name: 'empty', project_id }
      await tasks.createTask({ body }, anna.call)
      expect(await metaOf(anna)).toEqual({ size: 10, tasks: 2, deleted_frames: 2 })
      await expect(metaOf(bo)).rejects.toMatchObject(forbidden)
    })

    test('is empty without tasks', async () => {
      const { id } = await projects.createProject({ body: { name: 'p' } }, anna.call)
      const none = { size: 0, tasks: 0, deleted_frames: 0 }
      expect(await media.getProjectDataMeta({ id }, anna.call)).toEqual(none)
      const missing = media.getProjectDataMeta({ id: 999_999 }, anna.call)
      await expect(missing).rejects.toMatchObject({ kind: 'not_found' })
    })
  })

  describe('a chunk', () => {
    const locate = (target: 'task' | 'job', id: number, place: object, user = anna) =>
      media.locateChunk({ target, id, ...place }, user.call)
    async function addChunked() {
      const { id } = await tasks.createTask({ body: { name: 't', segment_size: 4 } }, anna.call)
      const body = frameLines(Array.from({ length: 10 }, (_, index) => frameAt(index)))
      const query = { task_id: id, call_id: `chunks-${id}`, image_quality: 55, chunk_size: 3 }
      await media.attachMedia({ ...query, body }, anna.call)
      const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
      return { id, job: results[1]?.id ?? 0 }
    }

    test('is found by number or index, with the data that its content depends on', async () => {
      const { id, job } = await addChunked()
      const { chunks_updated_date } = await media.getTaskDataMeta({ id }, anna.call)
      const common = { task_id: id, image_quality: 55, data_revision: 1, chunks_updated_date }
      expect(await locate('task', id, { number: 3 })).toEqual({ ...common, start: 9, stop: 9 })
      expect(await locate('job', job, { number: 1 })).toEqual({ ...common, start: 4, stop: 5 })
      expect(await locate('job', job, { index: 0 })).toEqual({ ...common, start: 4, stop: 6 })
      const truth = await addTruth(id, [2, 3, 5, 9])
      expect(await locate('job', truth, { index: 0 })).toEqual({
        ...common,
        start: 2,
        stop: 5,
        chosen: { frames: [2, 3, 5] },
      })
      await expect(locate('task', id, { number: 4 })).rejects.toMatchObject({ kind: 'invalid' })
    })

    test('includes deleted frames', async () => {
      const { id } = await addChunked()
      await ofTask(id, [0, 1, 2])
      expect(await locate('task', id, { number: 0 })).toMatchObject({ start: 0, stop: 2 })
    })

    test('requires media and the permission to view it', async () => {
      const { id } = await tasks.createTask({ body: { name: 't' } }, anna.call)
      await expect(locate('task', id, { number: 0 })).rejects.toMatchObject(noData)
      const { job } = await addChunked()
      await expect(locate('job', job, { index: 0 }, bo)).rejects.toMatchObject(forbidden)
      await expect(locate('task', 999_999, { number: 0 })).rejects.toMatchObject({
        kind: 'not_found',
      })
    })

    test('of ground truth is found without a query for each frame', async () => {
      const { id } = await addChunked()
      const truth = await addTruth(id, [2, 3, 5, 9])
      const { db: watched, statements } = countStatements(db)
      const input = { target: 'job', id: truth, index: 0 } as const
      await over('in-process', watched).media.locateChunk(input, anna.call)
      expect(statements()).toBeLessThanOrEqual(2)
    })
  })
})

test('concurrent deletions of frames both take effect', async () => {
  const services = over('in-process')
  const { id } = await services.tasks.createTask(
    { body: { name: 't', segment_size: 5 } },
    anna.call,
  )
  await attachFrames(services, id, 10, anna)
  const { results } = await services.jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
  const change = ({ id: job, start_frame }: { id: number; start_frame: number }) =>
    services.media.updateJobDataMeta(
      { id: job, body: { deleted_frames: [start_frame] } },
      anna.call,
    )
  await Promise.all(results.map(change))
  const { deleted_frames } = await services.media.getTaskDataMeta({ id }, anna.call)
  expect(deleted_frames).toEqual([0, 5])
})
