import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** Calls on jobs, and the status of tasks. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const worker = await addUser('worker')
const forbidden = { kind: 'forbidden' }

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs } = services
  type Patch = Parameters<typeof jobs.updateJob>[0]['body']
  const patch = (id: number, body: Patch, user = anna, if_match?: string) =>
    jobs.updateJob({ id, body, if_match }, user.call)

  /** Adds a task in a project, with jobs of one image each. */
  async function addJobs(count = 1) {
    const body = { name: 'p', bug_tracker: 'https://bugs.example' }
    const project = await projects.createProject({ body }, anna.call)
    const task = await tasks.createTask(
      { body: { name: 't', project_id: project.id, segment_size: 1, source_storage: {} } },
      anna.call,
    )
    await attachFrames(services, task.id, count, anna)
    const { results } = await jobs.listJobs({ task_id: task.id, sort: 'id' }, anna.call)
    await takeEvents()
    const ids = results.map((one) => one.id)
    return { project, task_id: task.id, ids, id: ids[0] ?? 0 }
  }

  test('a job contains fields of its task and project', async () => {
    const { project, task_id, id } = await addJobs()
    const job = await jobs.getJob({ id }, anna.call)
    expect(job).toEqual({
      url: `/jobs/${id}`,
      id,
      task_id,
      task_name: 't',
      project_id: project.id,
      project_name: 'p',
      assignee: null,
      assignee_updated_date: null,
      guide_id: null,
      dimension: '2d',
      mode: 'annotation',
      media_type: 'image',
      bug_tracker: 'https://bugs.example',
      status: 'annotation',
      stage: 'annotation',
      state: 'new',
      type: 'annotation',
      frame_count: 1,
      start_frame: 0,
      stop_frame: 0,
      data_chunk_size: 36,
      data_compressed_chunk_type: 'imageset',
      data_original_chunk_type: 'imageset',
      created_date: job.created_date,
      updated_date: job.updated_date,
      revision: 1,
      issues: { url: `/issues?job_id=${id}`, count: 0 },
      labels: { url: `/labels?job_id=${id}` },
      organization: null,
      source_storage: { id: expect.any(Number), location: 'local', cloud_storage_id: null },
      target_storage: null,
      parent_job_id: null,
      replicas_count: 0,
      consensus_replicas: 0,
    })
  })

  test('a new stage resets the state unless the body contains one', async () => {
    const { id } = await addJobs()
    expect(await patch(id, { state: 'completed' })).toMatchObject({ status: 'annotation' })
    expect(await patch(id, { stage: 'validation' })).toMatchObject({
      state: 'new',
      status: 'validation',
    })
    const done = await patch(id, { stage: 'acceptance', state: 'completed' })
    expect(done).toMatchObject({ state: 'completed', status: 'completed' })
    expect(await patch(id, { stage: 'acceptance' })).toEqual(done)
    expect(await patch(id, { state: 'rejected' })).toMatchObject({ status: 'validation' })
  })

  test('the status of the task follows its least finished job, with one event per change', async () => {
    const { task_id, ids } = await addJobs(2)
    const [first = 0, second = 0] = ids
    const status = async () => (await tasks.getTask({ id: task_id }, anna.call)).status
    const types = async () => (await takeEvents()).map((event) => event.type)

    await patch(first, { stage: 'validation' })
    expect([await status(), await types()]).toEqual(['annotation', ['update:job']])
    await patch(second, { stage: 'acceptance', state: 'completed' })
    expect([await status(), await types()]).toEqual(['validation', ['update:job', 'update:task']])
    await patch(first, { stage: 'acceptance', state: 'completed' })
    expect([await status(), await types()]).toEqual(['completed', ['update:job', 'update:task']])
    const done = await tasks.getTask({ id: task_id }, anna.call)
    expect(done.jobs).toMatchObject({ count: 2, completed: 2, validation: 0 })
    await patch(first, { stage: 'annotation' })
    expect(await status()).toBe('annotation')
    const [, event] = await takeEvents()
    expect(event?.data).toMatchObject({
      before_update: {
        status: 'completed',
        jobs: { completed: 2 },
        updated_date: done.updated_date,
      },
    })
  })

  test('an update emits the changed fields and moves the dates of job and task', async () => {
    const { task_id, id } = await addJobs()
    const before = await jobs.getJob({ id }, anna.call)
    const task = await tasks.getTask({ id: task_id }, anna.call)
    const after = await patch(id, { state: 'in progress' })
    expect(await takeEvents()).toMatchObject([
      { type: 'update:job', key: `task:${task_id}`, data: { job: after } },
    ])
    expect(after.updated_date > before.updated_date).toBe(true)
    const moved = await tasks.getTask({ id: task_id }, anna.call)
    expect(moved.updated_date > task.updated_date).toBe(true)
  })

  test.each([{}, { state: 'new' as const, stage: 'annotation' as const, assignee: null }])(
    'a patch without effect (%j) emits no event',
    async (body) => {
      const { id } = await addJobs()
      const before = await jobs.getJob({ id }, anna.call)
      expect(await patch(id, body)).toEqual(before)
      expect(await takeEvents()).toEqual([])
    },
  )

  test('an assignee sees only the job and changes only its state', async () => {
    const { id } = await addJobs()
    await patch(id, { assignee: worker.id }, admin)
    const seen = await patch(id, { state: 'in progress' }, worker)
    expect(seen).toMatchObject({
      assignee: { id: worker.id },
      task_name: null,
      project_name: null,
      source_storage: null,
    })
    expect((await jobs.listJobs({ id }, worker.call)).results).toEqual([seen])
    for (const body of [{ stage: 'validation' as const }, { assignee: null }])
      await expect(patch(id, body, worker)).rejects.toMatchObject(forbidden)
    await expect(patch(id, { state: 'completed' }, bo)).rejects.toMatchObject(forbidden)
    expect(await patch(id, { assignee: null })).toMatchObject({ assignee: null })
  })

  test('assignee and assignee_id mean the same and must not differ', async () => {
    const { id } = await addJobs()
    expect(await patch(id, { assignee_id: anna.id })).toMatchObject({ assignee: { id: anna.id } })
    expect(await patch(id, { assignee_id: null })).toMatchObject({ assignee: null })
    const both = patch(id, { assignee: anna.id, assignee_id: null })
    await expect(both).rejects.toMatchObject({ kind: 'invalid' })
    await expect(patch(id, { assignee: 999_999 })).rejects.toMatchObject({
      body: { assignee: [expect.any(String)] },
    })
    await expect(patch(id, { assignee: bo.id })).rejects.toMatchObject(forbidden)
  })

  test('a stale If-Match is rejected', async () => {
    const { id } = await addJobs()
    const before = await jobs.getJob({ id }, anna.call)
    await patch(id, { state: 'completed' }, anna, recordTag(before))
    const late = patch(id, { state: 'new' }, anna, recordTag(before))
    await expect(late).rejects.toMatchObject({ kind: 'precondition' })
  })

  test('missing jobs are not found; jobs of other users are forbidden', async () => {
    const { id } = await addJobs()
    await expect(jobs.getJob({ id: 999_999 }, anna.call)).rejects.toMatchObject({
      kind: 'not_found',
    })
    await expect(jobs.getJob({ id }, bo.call)).rejects.toMatchObject(forbidden)
  })

  test('only ground-truth jobs can be deleted', async () => {
    const { id, task_id } = await addJobs()
    await expect(jobs.deleteJob({ id }, anna.call)).rejects.toMatchObject({
      body: ['Only ground truth jobs can be removed'],
    })
    await expect(jobs.deleteJob({ id }, bo.call)).rejects.toMatchObject(forbidden)
    const selection = { frame_selection_method: 'manual' as const, frames: [0] }
    const body = { type: 'ground_truth' as const, task_id, ...selection }
    const truth = await jobs.createJob({ body }, anna.call)
    await takeEvents()
    await jobs.deleteJob({ id: truth.id }, anna.call)
    const [event] = await takeEvents()
    expect(event).toMatchObject({ type: 'delete:job', data: { job: truth } })
    expect((await tasks.getTask({ id: task_id }, anna.call)).jobs.count).toBe(1)
  })
})

describe('lists of jobs', async () => {
  const { jobs } = over('in-process')
  const owner = await addUser()
  const task = await db
    .insertInto('tasks')
    .values({ name: 'listed', owner_id: bo.id })
    .returning('id')
    .executeTakeFirstOrThrow()
  const range = { task_id: task.id, start_frame: 0, stop_frame: 9 }
  for (const row of [
    { assignee_id: owner.id, state: 'completed' as const },
    { assignee_id: owner.id, stage: 'validation' as const },
    { assignee_id: null },
  ])
    await db
      .insertInto('jobs')
      .values({ ...range, ...row })
      .execute()
  const count = async (query: Parameters<typeof jobs.listJobs>[0], user = owner) =>
    (await jobs.listJobs(query, user.call)).count

  test.each([
    [{}, 2],
    [{ state: 'completed' as const }, 1],
    [{ stage: 'validation' as const }, 1],
    [{ task_name: 'listed' }, 0], // hidden from the assignee of a job of it
    [{ task_id: 999_999 }, 0],
    [{ project_name: 'listed' }, 0],
    [{ assignee: 'nobody' }, 0],
    [{ type: 'annotation' as const, dimension: '2d' as const }, 2],
    [{ mode: 'annotation' as const }, 0],
  ])('are filtered by %j', async (query, expected) => {
    expect(await count(query)).toBe(expected)
  })

  test('contain all jobs for the owner of the task', async () => {
    expect(await count({ task_name: 'listed' }, bo)).toBe(3)
    expect(await count({ task_name: 'listed' }, admin)).toBe(3)
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      await over('in-process', watched).jobs.listJobs({ page_size, sort: 'assignee' }, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})

test('an update that keeps the status of the task does not read the task record', async () => {
  const services = over('in-process')
  const { id: task_id } = await services.tasks.createTask({ body: { name: 't' } }, anna.call)
  await attachFrames(services, task_id, 1, anna)
  const { results } = await services.jobs.listJobs({ task_id }, anna.call)
  const id = results[0]?.id ?? 0
  const { db: watched, statements } = countStatements(db)
  await over('in-process', watched).jobs.updateJob({ id, body: { state: 'completed' } }, anna.call)
  expect(statements()).toBeLessThanOrEqual(11)
})
