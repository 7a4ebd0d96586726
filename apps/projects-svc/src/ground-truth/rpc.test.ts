import type { JobCreate } from '@reticle/contracts/rest/jobs'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, type TestUser, testWorkspace } from '../testing/workspace.ts'

/** Ground-truth jobs, their meta and validation layouts. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]
const worker = await addUser('worker')
const forbidden = { kind: 'forbidden' }

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { tasks, jobs, media } = services

  /** Adds a task of ten images in two jobs. */
  async function addTask() {
    const body = { name: 't', segment_size: 5 }
    const { id } = await tasks.createTask({ body }, anna.call)
    await attachFrames(services, id, 10, anna)
    await takeEvents()
    return id
  }
  const manual = (task_id: number, frames: number[]): JobCreate => ({
    type: 'ground_truth',
    task_id,
    frame_selection_method: 'manual',
    frames,
  })
  const create = (body: JobCreate, user: TestUser = anna) => jobs.createJob({ body }, user.call)
  async function addTruth(frames: number[]) {
    const task_id = await addTask()
    const { id } = await create(manual(task_id, frames))
    await takeEvents()
    return { task_id, id }
  }
  const typesOf = async () => (await takeEvents()).map(({ type }) => type)

  describe('a ground-truth job', () => {
    test('spans all frames of the task, contains the chosen ones and emits events', async () => {
      const task_id = await addTask()
      const job = await create({ ...manual(task_id, [7, 1]), assignee: anna.id })
      expect(job).toMatchObject({
        task_id,
        type: 'ground_truth',
        stage: 'annotation',
        state: 'new',
        status: 'annotation',
        start_frame: 0,
        stop_frame: 9,
        frame_count: 2,
        assignee: { id: anna.id },
        assignee_updated_date: expect.any(String),
        parent_job_id: null,
      })
      expect(await jobs.getJob({ id: job.id }, anna.call)).toEqual(job)
      const task = await tasks.getTask({ id: task_id }, anna.call)
      expect(task).toMatchObject({ validation_mode: 'gt', jobs: { count: 3 } })
      const key = `task:${task_id}`
      expect(await takeEvents()).toMatchObject([
        { type: 'create:job', key, data: { job } },
        {
          type: 'update:task',
          key,
          data: { task, before_update: { validation_mode: null, jobs: { count: 2 } } },
        },
      ])
    })

    test('has randomly drawn frames, the same for the same seed', async () => {
      const framesOf = async (task_id: number) =>
        (await tasks.getTaskValidationLayout({ id: task_id }, anna.call)).validation_frames
      const drawn = async (selection: Omit<JobCreate, 'type' | 'task_id'>) => {
        const task_id = await addTask()
        const { frame_count } = await create({ type: 'ground_truth', task_id, ...selection })
        const frames = await framesOf(task_id)
        expect(frames).toHaveLength(frame_count)
        return frames
      }
      const all = { frame_selection_method: 'random_uniform', frame_share: 0.3 } as const
      const first = await drawn({ ...all, random_seed: 5 })
      expect(first).toHaveLength(3)
      expect(await drawn({ ...all, random_seed: 5 })).toEqual(first)
      const each = { frame_selection_method: 'random_per_job', frames_per_job_count: 2 } as const
      const shared = await drawn(each)
      expect(shared?.filter((frame) => frame < 5)).toHaveLength(2)
      expect(shared).toHaveLength(4)
    })

    test('moves a completed task back to "annotation"', async () => {
      const task_id = await addTask()
      const body = { stage: 'acceptance' as const, state: 'completed' as const }
      for (const { id } of (await jobs.listJobs({ task_id }, anna.call)).results)
        await jobs.updateJob({ id, body }, anna.call)
      expect((await tasks.getTask({ id: task_id }, anna.call)).status).toBe('completed')
      const { id } = await create(manual(task_id, [0]))
      expect((await tasks.getTask({ id: task_id }, anna.call)).status).toBe('annotation')
      await jobs.deleteJob({ id }, anna.call)
      expect((await tasks.getTask({ id: task_id }, anna.call)).status).toBe('completed')
    })

    test('is deleted with its frames, and another can then be created', async () => {
      const { task_id, id } = await addTruth([1, 2])
      await jobs.deleteJob({ id }, anna.call)
      expect(await takeEvents()).toMatchObject([
        { type: 'delete:job', data: { job: { id } } },
        {
          type: 'update:task',
          data: { task: { validation_mode: null }, before_update: { validation_mode: 'gt' } },
        },
      ])
      expect(await tasks.getTaskValidationLayout({ id: task_id }, anna.call)).toEqual({
        mode: null,
      })
      expect(await create(manual(task_id, [3]))).toMatchObject({ frame_count: 1 })
    })

    test('is limited to one per task and requires media', async () => {
      const { task_id } = await addTruth([1])
      await expect(create(manual(task_id, [2]))).rejects.toMatchObject({
        kind: 'invalid',
        body: [expect.stringContaining('one ground truth job')],
      })
      const { id } = await tasks.createTask({ body: { name: 't' } }, anna.call)
      await expect(create(manual(id, [0]))).rejects.toMatchObject({
        kind: 'invalid',
        body: ['Data is not uploaded for the task yet'],
      })
    })

    test('requires an existing task, existing frames and a permitted assignee', async () => {
      await expect(create(manual(999_999, [0]))).rejects.toMatchObject({
        body: { task_id: ['Invalid pk "999999" - object does not exist.'] },
      })
      const task_id = await addTask()
      await expect(create(manual(task_id, [10]))).rejects.toMatchObject({
        body: { frames: [expect.any(String)] },
      })
      for (const key of ['assignee', 'assignee_id'] as const) {
        const given = (id: number) => create({ ...manual(task_id, [0]), [key]: id })
        await expect(given(999_999)).rejects.toMatchObject({
          body: { [key]: [expect.any(String)] },
        })
        await expect(given(bo.id)).rejects.toMatchObject(forbidden)
      }
      const both = { ...manual(task_id, [0]), assignee: anna.id, assignee_id: bo.id }
      await expect(create(both)).rejects.toMatchObject({ kind: 'invalid' })
      expect(await takeEvents()).toEqual([])
      expect(await tasks.getTask({ id: task_id }, anna.call)).toMatchObject({
        validation_mode: null,
        jobs: { count: 2 },
      })
    })

    test('can be created and deleted by task staff with the global role user', async () => {
      const task_id = await addTask()
      await expect(create(manual(task_id, [0]), bo)).rejects.toMatchObject(forbidden)
      const seat = { assignee_id: worker.id }
      await db.updateTable('tasks').set(seat).where('id', '=', task_id).execute()
      await expect(create(manual(task_id, [0]), worker)).rejects.toMatchObject(forbidden)
      await db.updateTable('tasks').set({ assignee_id: bo.id }).where('id', '=', task_id).execute()
      const { id } = await create(manual(task_id, [0]), bo)
      await jobs.deleteJob({ id }, bo.call)
    })

    test('lists its frames in its facts and is not among the jobs of the task', async () => {
      const { task_id, id } = await addTruth([8, 2])
      const facts = (target: 'task' | 'job', of: number) =>
        tasks.authorize({ target, id: of, action: 'annotations:write' }, anna.call)
      expect(await facts('job', id)).toMatchObject({
        jobs: [{ id, start_frame: 0, stop_frame: 9 }],
        frames: [2, 8],
      })
      const task = await facts('task', task_id)
      expect(task.frames).toEqual([])
      expect(task.jobs).toHaveLength(2)
      const plain = await facts('job', task.jobs[0]?.id ?? 0)
      expect(plain.frames).toEqual([])
    })
  })

  describe('the media of a ground-truth job', () => {
    test('names only its own frames, at their places in the task', async () => {
      const { task_id, id } = await addTruth([1, 4])
      const whole = await media.getTaskDataMeta({ id: task_id }, anna.call)
      const meta = await media.getJobDataMeta({ id }, anna.call)
      const names = whole.frames.map(({ name }, frame) =>
        [1, 4].includes(frame) ? name : 'placeholder.jpg',
      )
      expect(meta).toEqual({
        ...whole,
        size: 2,
        included_frames: [1, 4],
        frames: whole.frames.map((frame, index) => ({ ...frame, name: names[index] })),
      })
      expect([meta.start_frame, meta.stop_frame]).toEqual([0, 9])
    })

    test('counts disabled frames as deleted, only in that job', async () => {
      const { task_id, id } = await addTruth([1, 4, 6])
      const body = { disabled_frames: [6, 1] }
      await tasks.updateTaskValidationLayout({ id: task_id, body }, anna.call)
      const meta = await media.getJobDataMeta({ id }, anna.call)
      expect(meta).toMatchObject({ size: 3, deleted_frames: [1, 6], included_frames: [1, 4, 6] })
      const whole = await media.getTaskDataMeta({ id: task_id }, anna.call)
      expect(whole).toMatchObject({ deleted_frames: [], included_frames: null })
    })

    test('is served for its own frames only, with the middle one as the preview', async () => {
      const { id } = await addTruth([1, 4, 6, 9])
      const locate = (number: number, preview = false) =>
        media.locateFrame({ target: 'job', id, number, preview }, anna.call)
      expect(await locate(4)).toMatchObject({ frame: 4 })
      for (const number of [0, 5, 10])
        await expect(locate(number)).rejects.toMatchObject({
          kind: 'invalid',
          body: [expect.stringContaining(`The frame ${number} is not in this job`)],
        })
      expect(await locate(0, true)).toMatchObject({ frame: 4 })
    })
  })

  describe('the validation layout', () => {
    const layoutOf = (id: number, user: TestUser = anna) =>
      tasks.getTaskValidationLayout({ id }, user.call)
    const disable = (id: number, disabled_frames?: number[], user: TestUser = anna) =>
      tasks.updateTaskValidationLayout({ id, body: { disabled_frames } }, user.call)

    test('has no mode without ground truth, and no frames can be disabled', async () => {
      const id = await addTask()
      expect(await layoutOf(id)).toEqual({ mode: null })
      expect(await disable(id)).toEqual({ mode: null })
      await expect(disable(id, [])).rejects.toMatchObject({
        kind: 'invalid',
        body: [expect.stringContaining('no ground truth')],
      })
    })

    test('replaces the whole list of disabled frames', async () => {
      const { task_id, id } = await addTruth([2, 5, 8])
      const before = await jobs.getJob({ id }, anna.call)
      const layout = { mode: 'gt', validation_frames: [2, 5, 8], disabled_frames: [] }
      expect(await layoutOf(task_id)).toEqual(layout)
      const disabled = await disable(task_id, [8, 2, 8])
      expect(disabled).toEqual({ ...layout, disabled_frames: [2, 8] })
      expect(await layoutOf(task_id)).toEqual(disabled)
      const job = await jobs.getJob({ id }, anna.call)
      expect(job.updated_date > before.updated_date).toBe(true)
      expect(await takeEvents()).toMatchObject([
        { type: 'update:job', data: { job, before_update: { updated_date: before.updated_date } } },
        { type: 'update:task', data: { task: { id: task_id } } },
      ])
      expect(await disable(task_id, [5])).toEqual({ ...layout, disabled_frames: [5] })
      expect(await disable(task_id, [])).toEqual(layout)
    })

    test('emits no event when nothing changes', async () => {
      const { task_id } = await addTruth([2, 5])
      const first = await disable(task_id, [5])
      expect(await typesOf()).toEqual(['update:job', 'update:task'])
      expect(await disable(task_id, [5])).toEqual(first)
      expect(await disable(task_id)).toEqual(first)
      expect(await typesOf()).toEqual([])
    })

    test('rejects frames that are not validation frames and changes nothing', async () => {
      const { task_id } = await addTruth([2, 5])
      await expect(disable(task_id, [2, 3])).rejects.toMatchObject({
        body: { disabled_frames: ['The frame 3 is no validation frame.'] },
      })
      expect(await layoutOf(task_id)).toMatchObject({ disabled_frames: [] })
    })

    test('is only for task staff', async () => {
      const { task_id, id } = await addTruth([2])
      await db.updateTable('jobs').set({ assignee_id: bo.id }).where('id', '=', id).execute()
      expect(await jobs.getJob({ id }, bo.call)).toMatchObject({ id })
      await expect(layoutOf(task_id, bo)).rejects.toMatchObject(forbidden)
      await expect(disable(task_id, [2], bo)).rejects.toMatchObject(forbidden)
      const ofJob = jobs.getJobValidationLayout({ id }, bo.call)
      await expect(ofJob).rejects.toMatchObject(forbidden)
      for (const attempt of [layoutOf(999_999), disable(999_999, [])])
        await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('of a job is empty, because no job has honeypots', async () => {
      const { id } = await addTruth([2])
      expect(await jobs.getJobValidationLayout({ id }, anna.call)).toEqual({})
      const none = jobs.getJobValidationLayout({ id: 999_999 }, anna.call)
      await expect(none).rejects.toMatchObject({ kind: 'not_found' })
    })
  })

  test('the list of jobs contains the ground-truth job', async () => {
    const { task_id, id } = await addTruth([0, 9])
    const { results } = await jobs.listJobs({ task_id, type: 'ground_truth' }, anna.call)
    expect(results.map((job) => [job.id, job.frame_count])).toEqual([[id, 2]])
  })
})

test('two concurrent calls create one ground-truth job', async () => {
  const services = over('in-process')
  const { id: task_id } = await services.tasks.createTask({ body: { name: 't' } }, anna.call)
  await attachFrames(services, task_id, 3, anna)
  const chosen = { frame_selection_method: 'random_uniform', frame_count: 1 } as const
  const body: JobCreate = { type: 'ground_truth', task_id, ...chosen }
  const both = [0, 1].map(() => services.jobs.createJob({ body }, anna.call))
  const ended = await Promise.allSettled(both)
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const { count } = await services.jobs.listJobs({ task_id, type: 'ground_truth' }, anna.call)
  expect(count).toBe(1)
})

test('a thousand frames need no more statements than one', async () => {
  const services = over('in-process')
  const counted = async (frame_count: number) => {
    const { id: task_id } = await services.tasks.createTask({ body: { name: 't' } }, anna.call)
    await attachFrames(services, task_id, 1000, anna)
    const { db: watched, statements } = countStatements(db)
    const method = 'random_uniform' as const
    const body = { frame_selection_method: method, frame_count, task_id }
    const { jobs } = over('in-process', watched)
    await jobs.createJob({ body: { type: 'ground_truth', ...body } }, anna.call)
    return statements()
  }
  expect(await counted(1000)).toBe(await counted(1))
})
