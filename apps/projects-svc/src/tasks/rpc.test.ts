import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** Calls on tasks. */

const { db, addUser, over, takeEvents } = await testWorkspace({ maxConsensusReplicas: 3 })
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const worker = await addUser('worker')
const forbidden = { kind: 'forbidden' }

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs } = services
  type Body = Parameters<typeof tasks.createTask>[0]['body']
  type Patch = Parameters<typeof tasks.updateTask>[0]['body']
  const create = (body: Body, user = anna) => tasks.createTask({ body }, user.call)
  const patch = (id: number, body: Patch, user = anna, if_match?: string) =>
    tasks.updateTask({ id, body, if_match }, user.call)
  const addProject = (labels: { name: string }[] = [], user = anna) =>
    projects.createProject({ body: { name: 'p', labels } }, user.call)

  test('a new task has no media, no jobs and the status new', async () => {
    await takeEvents()
    const task = await create({ name: 'Batch 1', subset: 'train', segment_size: 5, overlap: 2 })
    expect(task).toMatchObject({
      url: `/tasks/${task.id}`,
      name: 'Batch 1',
      project_id: null,
      project_name: null,
      owner: { id: anna.id },
      status: 'new',
      size: 0,
      mode: '',
      dimension: '2d',
      media_type: '',
      subset: 'train',
      overlap: 2,
      segment_size: 5,
      data: null,
      jobs: { count: 0, completed: 0, validation: 0, url: `/jobs?task_id=${task.id}` },
      labels: [],
      validation_mode: null,
      consensus_enabled: false,
    })
    for (const absent of ['data_chunk_size', 'image_quality', 'data_cloud_storage_id'])
      expect(task).not.toHaveProperty(absent)
    expect(await tasks.getTask({ id: task.id }, anna.call)).toEqual(task)
    expect(await takeEvents()).toMatchObject([
      { type: 'create:task', key: `task:${task.id}`, data: { task } },
    ])
  })

  test.each([0, 2, 3])('%i consensus replicas are accepted', async (consensus_replicas) => {
    const body = { name: 't', consensus_replicas }
    const task = await tasks.createTask({ body }, anna.call)
    expect(task.consensus_enabled).toBe(consensus_replicas > 0)
  })

  test.each([1, 4])('%i consensus replicas are rejected', async (consensus_replicas) => {
    const attempt = tasks.createTask({ body: { name: 't', consensus_replicas } }, anna.call)
    await expect(attempt).rejects.toMatchObject({
      kind: 'invalid',
      body: { consensus_replicas: ['Ensure this value is 0, or from 2 to 3.'] },
    })
  })

  test('a task in a project uses its labels and moves its date', async () => {
    const project = await addProject([{ name: 'car' }])
    const task = await create({ name: 't', project_id: project.id })
    expect(task).toMatchObject({ project_id: project.id, project_name: 'p' })
    expect(task.labels).toEqual(project.labels)
    const after = await projects.getProject({ id: project.id }, anna.call)
    expect(after.updated_date > project.updated_date).toBe(true)
  })

  test('labels of a task in a project are managed in the project', async () => {
    const project = await addProject([{ name: 'car' }])
    const expected = { body: ['Labels of a task in a project are managed in the project'] }
    const attempt = create({ name: 't', project_id: project.id, labels: [{ name: 'x' }] })
    await expect(attempt).rejects.toMatchObject(expected)
    const { id } = await create({ name: 't', project_id: project.id })
    await expect(patch(id, { labels: [{ name: 'x' }] })).rejects.toMatchObject(expected)
  })

  test('labels of a task without a project are changed by a patch of the task', async () => {
    const task = await create({ name: 't', labels: [{ name: 'car' }, { name: 'bus' }] })
    await takeEvents()
    const [car] = task.labels
    const after = await patch(task.id, {
      labels: [{ id: car?.id, deleted: true }, { name: 'tram' }],
    })
    expect(after.labels.map((one) => one.name)).toEqual(['bus', 'tram'])
    const events = await takeEvents()
    expect(events.map((event) => event.type)).toEqual(['update:task', 'labels.changed'])
    expect(events[0]?.data).toMatchObject({ task: { updated_date: after.updated_date } })
    expect(events[1]?.data).toMatchObject({ task_ids: [task.id], deleted_label_ids: [car?.id] })
    expect(await tasks.getTask({ id: task.id }, anna.call)).toEqual(after)
  })

  test('references must exist and be permitted', async () => {
    const unknown = create({ name: 't', project_id: 999_999 })
    await expect(unknown).rejects.toMatchObject({
      kind: 'invalid',
      body: { project_id: ['Invalid pk "999999" - object does not exist.'] },
    })
    const project = await addProject()
    const foreign = create({ name: 't', project_id: project.id }, bo)
    await expect(foreign).rejects.toMatchObject(forbidden)
    await expect(create({ name: 't', assignee_id: bo.id })).rejects.toMatchObject(forbidden)
    await expect(create({ name: 't', assignee_id: 999_999 })).rejects.toMatchObject({
      body: { assignee_id: [expect.any(String)] },
    })
  })

  test('workers cannot create tasks, even in projects assigned to them', async () => {
    await expect(create({ name: 't' }, worker)).rejects.toMatchObject(forbidden)
    const project = await addProject([], admin)
    await projects.updateProject({ id: project.id, body: { assignee_id: worker.id } }, admin.call)
    const attempt = create({ name: 't', project_id: project.id }, worker)
    await expect(attempt).rejects.toMatchObject(forbidden)
  })

  test('an update emits the changed fields and moves the date of the project', async () => {
    const project = await addProject()
    const task = await create({ name: 't', project_id: project.id })
    const before = await projects.getProject({ id: project.id }, anna.call)
    await takeEvents()
    const after = await patch(task.id, { name: 'u', subset: 'val' })
    const [event, ...more] = await takeEvents()
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'update:task', data: { task: after } })
    expect(event?.data).toHaveProperty('before_update', {
      name: 't',
      subset: '',
      updated_date: task.updated_date,
    })
    const moved = await projects.getProject({ id: project.id }, anna.call)
    expect(moved.updated_date > before.updated_date).toBe(true)
  })

  test('a patch without effect emits no event', async () => {
    const project = await addProject()
    const task = await create({ name: 't', project_id: project.id })
    await takeEvents()
    expect(await patch(task.id, { name: 't', project_id: project.id, labels: [] })).toEqual(task)
    expect(await takeEvents()).toEqual([])
  })

  test("an assignee can edit but not reassign the task, and does not see the project's name", async () => {
    const project = await addProject()
    const { id } = await create({ name: 't', project_id: project.id })
    await patch(id, { assignee_id: bo.id }, admin)
    const seen = await patch(id, { name: 'by bo' }, bo)
    expect(seen).toMatchObject({ name: 'by bo', project_id: project.id, project_name: null })
    const { results } = await tasks.listTasks({}, bo.call)
    expect(results.find((one) => one.id === id)).toEqual(seen)
    await expect(patch(id, { assignee_id: null }, bo)).rejects.toMatchObject(forbidden)
    await expect(patch(id, { target_storage: {} }, bo)).rejects.toMatchObject(forbidden)
    await expect(tasks.deleteTask({ id }, bo.call)).rejects.toMatchObject(forbidden)
    await expect(tasks.getTask({ id }, worker.call)).rejects.toMatchObject(forbidden)
  })

  test('a stale If-Match is rejected', async () => {
    const task = await create({ name: 't' })
    await patch(task.id, { name: 'u' }, anna, recordTag(task))
    const precondition = { kind: 'precondition' }
    const late = patch(task.id, { name: 'v' }, anna, recordTag(task))
    await expect(late).rejects.toMatchObject(precondition)
    const deleting = tasks.deleteTask({ id: task.id, if_match: recordTag(task) }, anna.call)
    await expect(deleting).rejects.toMatchObject(precondition)
  })

  test('deleting a task deletes its jobs and media and moves the date of the project', async () => {
    const project = await addProject()
    const task = await create({ name: 't', project_id: project.id, segment_size: 1 })
    await attachFrames(services, task.id, 2, anna)
    const { results } = await jobs.listJobs({ task_id: task.id, sort: 'id' }, anna.call)
    const before = await projects.getProject({ id: project.id }, anna.call)
    await takeEvents()

    await tasks.deleteTask({ id: task.id }, anna.call)

    expect(await takeEvents()).toMatchObject([
      { type: 'delete:job', data: { job: results[0] } },
      { type: 'delete:job', data: { job: results[1] } },
      {
        type: 'delete:task',
        data: { task: { id: task.id, size: 2 }, job_ids: results.map((one) => one.id) },
      },
    ])
    const after = await projects.getProject({ id: project.id }, anna.call)
    expect(after.updated_date > before.updated_date).toBe(true)
    expect(after.tasks.count).toBe(0)
    const again = tasks.deleteTask({ id: task.id }, anna.call)
    await expect(again).rejects.toMatchObject({ kind: 'not_found' })
  })
})

describe('lists of tasks', async () => {
  const { tasks } = over('in-process')
  const owner = await addUser()
  const project = await db
    .insertInto('projects')
    .values({ name: 'q', owner_id: owner.id })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = [
    { name: 'a', owner_id: owner.id, subset: 'val', bug_tracker: 'https://b.example' },
    { name: 'b', owner_id: bo.id, project_id: project.id },
    { name: 'c', owner_id: bo.id, assignee_id: owner.id, status: 'completed' as const },
    { name: 'd', owner_id: bo.id },
  ]
  for (const row of rows) await db.insertInto('tasks').values(row).execute()
  const names = async (query: Parameters<typeof tasks.listTasks>[0], user = owner) =>
    (await tasks.listTasks(query, user.call)).results.map((one) => one.name).join('')

  test('contain own and assigned tasks and those of own projects', async () => {
    expect(await names({})).toBe('cba')
    expect(await names({ name: 'd' }, admin)).toBe('d')
  })

  test.each([
    [{ project_id: project.id }, 'b'],
    [{ project_name: 'q' }, 'b'],
    [{ owner: bo.username }, 'cb'],
    [{ assignee: owner.username }, 'c'],
    [{ status: 'completed' as const }, 'c'],
    [{ subset: 'val' }, 'a'],
    [{ tracker_link: 'https://b.example' }, 'a'],
    [{ dimension: '3d' as const }, ''],
    [{ mode: 'annotation' as const }, ''],
    [{ sort: 'name' }, 'abc'],
    [{ sort: '-subset,name' }, 'abc'],
    [{ sort: 'assignee' }, 'cab'],
  ])('are filtered and sorted by %j', async (query, expected) => {
    expect(await names(query)).toBe(expected)
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      await over('in-process', watched).tasks.listTasks({ page_size }, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})

test('reading a task needs five statements', async () => {
  const body = { name: 't', labels: [{ name: 'car' }] }
  const { id } = await over('in-process').tasks.createTask({ body }, anna.call)
  const { db: watched, statements } = countStatements(db)
  await over('in-process', watched).tasks.getTask({ id }, anna.call)
  expect(statements()).toBeLessThanOrEqual(5)
})

test('renaming a task reads labels and jobs only once', async () => {
  const services = over('in-process')
  const project = await services.projects.createProject({ body: { name: 'p' } }, anna.call)
  const body = { name: 't', project_id: project.id }
  const { id } = await services.tasks.createTask({ body }, anna.call)
  const { db: watched, statements } = countStatements(db)
  await over('in-process', watched).tasks.updateTask({ id, body: { name: 'u' } }, anna.call)
  expect(statements()).toBeLessThanOrEqual(12)
})
