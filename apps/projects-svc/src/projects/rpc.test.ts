import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/** Calls on projects. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]
const admin = await addUser('admin')
const worker = await addUser('worker')

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs } = services
  const create = (body: Parameters<typeof projects.createProject>[0]['body'], user = anna) =>
    projects.createProject({ body }, user.call)
  const patch = (
    id: number,
    body: Parameters<typeof projects.updateProject>[0]['body'],
    user = anna,
    if_match?: string,
  ) => projects.updateProject({ id, body, if_match }, user.call)

  test('a new project belongs to its creator and has defaults in all other fields', async () => {
    await takeEvents()
    const project = await create({ name: 'Street scenes' })
    expect(project).toEqual({
      url: `/projects/${project.id}`,
      id: project.id,
      name: 'Street scenes',
      owner: {
        url: `/users/${anna.id}`,
        id: anna.id,
        username: anna.username,
        first_name: '',
        last_name: '',
      },
      assignee: null,
      assignee_updated_date: null,
      status: 'annotation',
      labels: [],
      bug_tracker: '',
      guide_id: null,
      task_subsets: [],
      dimension: null,
      created_date: project.created_date,
      updated_date: project.created_date,
      revision: 1,
      organization: null,
      organization_id: null,
      source_storage: null,
      target_storage: null,
      tasks: { count: 0, url: `/tasks?project_id=${project.id}` },
    })
    expect(await projects.getProject({ id: project.id }, anna.call)).toEqual(project)
    expect(await takeEvents()).toMatchObject([
      { type: 'create:project', key: `project:${project.id}`, data: { project } },
    ])
  })

  test('a worker cannot create projects', async () => {
    await expect(create({ name: 'p' }, worker)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('an update emits the old values and moves the date', async () => {
    const before = await create({ name: 'p', bug_tracker: 'https://old.example' })
    await takeEvents()
    const after = await patch(before.id, { name: 'q', bug_tracker: 'https://old.example' })
    const { updated_date } = after
    expect(after).toEqual({ ...before, name: 'q', updated_date, revision: 2 })
    expect(after.updated_date > before.updated_date).toBe(true)
    const [event, ...more] = await takeEvents()
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'update:project', data: { project: after } })
    expect(event?.data).toHaveProperty('before_update', {
      name: 'p',
      updated_date: before.updated_date,
    })
  })

  test.each(['validation', 'completed', 'annotation'] as const)(
    'every status can change to %s',
    async (status) => {
      const { id } = await create({ name: 'p' })
      for (const from of ['annotation', 'validation', 'completed'] as const) {
        await patch(id, { status: from })
        expect(await patch(id, { status })).toMatchObject({ status })
      }
    },
  )

  test.each([{}, { name: 'p', status: 'annotation' as const, assignee_id: null }])(
    'a patch without effect (%j) keeps the date and emits no event',
    async (body) => {
      const before = await create({ name: 'p' })
      await takeEvents()
      expect(await patch(before.id, body)).toEqual(before)
      expect(await takeEvents()).toEqual([])
    },
  )

  test('a hidden project is forbidden, a missing one is not found', async () => {
    const { id } = await create({ name: 'p' })
    const forbidden = { kind: 'forbidden' }
    await expect(projects.getProject({ id }, bo.call)).rejects.toMatchObject(forbidden)
    await expect(patch(id, {}, bo)).rejects.toMatchObject(forbidden)
    await expect(projects.deleteProject({ id }, bo.call)).rejects.toMatchObject(forbidden)
    const nothing = { kind: 'not_found' }
    await expect(projects.getProject({ id: 999_999 }, bo.call)).rejects.toMatchObject(nothing)
    await expect(patch(999_999, {}, bo)).rejects.toMatchObject(nothing)
    await expect(projects.deleteProject({ id: 999_999 }, bo.call)).rejects.toMatchObject(nothing)
  })

  describe('owner and assignee', () => {
    test.each(['assignee_id', 'owner_id'] as const)('an unknown %s is invalid', async (field) => {
      const expected = {
        kind: 'invalid',
        body: { [field]: ['Invalid pk "999999" - object does not exist.'] },
      }
      const attempt = create({ name: 'p', [field]: 999_999 })
      await expect(attempt).rejects.toMatchObject(expected)
      const { id } = await create({ name: 'p' })
      await expect(patch(id, { [field]: 999_999 }, admin)).rejects.toMatchObject(expected)
    })

    test('outside organizations users can name only themselves', async () => {
      const attempt = create({ name: 'p', assignee_id: bo.id })
      await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
      const project = await create({ name: 'p', assignee_id: anna.id })
      expect(project.assignee?.id).toBe(anna.id)
      expect(project.assignee_updated_date).not.toBeNull()
    })

    test('administrators can name any user; an assignee can edit but not reassign', async () => {
      const { id } = await create({ name: 'p' })
      const assigned = await patch(id, { assignee_id: bo.id }, admin)
      expect(assigned.assignee).toMatchObject({ id: bo.id, username: bo.username })
      expect(await patch(id, { name: 'by bo' }, bo)).toMatchObject({ name: 'by bo' })
      const forbidden = { kind: 'forbidden' }
      await expect(patch(id, { assignee_id: null }, bo)).rejects.toMatchObject(forbidden)
      await expect(patch(id, { owner_id: bo.id }, bo)).rejects.toMatchObject(forbidden)
      await expect(projects.deleteProject({ id }, bo.call)).rejects.toMatchObject(forbidden)
      expect(await patch(id, { assignee_id: null })).toMatchObject({ assignee: null })
    })

    test('only administrators change the owner of a project', async () => {
      const { id } = await create({ name: 'p' })
      const attempt = patch(id, { owner_id: anna.id })
      await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
      expect(await patch(id, { owner_id: bo.id }, admin)).toMatchObject({ owner: { id: bo.id } })
    })
  })

  describe('storages of a project', () => {
    test('are unset by default', async () => {
      const project = await create({ name: 'p', source_storage: { location: 'local' } })
      expect(project.source_storage).toEqual({
        id: expect.any(Number),
        location: 'local',
        cloud_storage_id: null,
      })
      const changed = await patch(project.id, { target_storage: {} })
      expect(changed.target_storage).toMatchObject({ location: 'local' })
      expect(changed.source_storage).toEqual(project.source_storage)
    })

    test.each([
      [{ cloud_storage_id: 9 }, 'location', 'This field is required beside cloud_storage_id.'],
      [{ location: 'local' as const, cloud_storage_id: 9 }, 'cloud_storage_id', 'A local storage'],
      [{ location: 'cloud_storage' as const }, 'cloud_storage_id', 'This field is required'],
      [{ location: 'cloud_storage' as const, cloud_storage_id: 9 }, 'cloud_storage_id', 'Invalid'],
    ])('%j is invalid', async (source_storage, field, text) => {
      const attempt = create({ name: 'p', source_storage })
      await expect(attempt).rejects.toMatchObject({
        kind: 'invalid',
        body: { source_storage: { [field]: [expect.stringContaining(text)] } },
      })
    })
  })

  describe('If-Match', () => {
    test('permits a change only with the current ETag', async () => {
      const first = await create({ name: 'p' })
      const second = await patch(first.id, { name: 'q' }, anna, recordTag(first))
      const late = patch(first.id, { name: 'r' }, anna, recordTag(first))
      await expect(late).rejects.toMatchObject({
        kind: 'precondition',
        more: { etag: recordTag(second) },
      })
      const deleting = projects.deleteProject(
        { id: first.id, if_match: recordTag(first) },
        anna.call,
      )
      await expect(deleting).rejects.toMatchObject({ kind: 'precondition' })
      await projects.deleteProject({ id: first.id, if_match: recordTag(second) }, anna.call)
    })

    test('is checked after references', async () => {
      const { id } = await create({ name: 'p' })
      const attempt = patch(id, { assignee_id: 999_999 }, anna, '"0-0"')
      await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
    })

    test('is invalid if malformed', async () => {
      const { id } = await create({ name: 'p' })
      await expect(patch(id, { name: 'q' }, anna, 'abc')).rejects.toMatchObject({ kind: 'invalid' })
    })
  })

  test('deleting a project deletes its contents and emits an event for each object', async () => {
    const { id } = await create({ name: 'p', labels: [{ name: 'car' }] })
    const task = await tasks.createTask({ body: { name: 't', project_id: id } }, anna.call)
    await attachFrames(services, task.id, 3, anna)
    const { results } = await jobs.listJobs({ task_id: task.id }, anna.call)
    const [job] = results
    await takeEvents()

    await projects.deleteProject({ id }, anna.call)

    const events = await takeEvents()
    expect(events.map((event) => event.type)).toEqual([
      'delete:job',
      'delete:task',
      'delete:project',
    ])
    expect(events[0]).toMatchObject({ key: `task:${task.id}`, data: { job } })
    expect(events[1]).toMatchObject({ data: { task: { id: task.id }, job_ids: [job?.id] } })
    expect(events[2]).toMatchObject({ data: { project: { id }, task_ids: [task.id] } })
    const left = await db.selectFrom('frames').where('task_id', '=', task.id).selectAll().execute()
    expect(left).toEqual([])
    const again = projects.deleteProject({ id }, anna.call)
    await expect(again).rejects.toMatchObject({ kind: 'not_found' })
    const removed = tasks.getTask({ id: task.id }, anna.call)
    await expect(removed).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a project contains the subsets, dimension and count of its tasks', async () => {
    const { id } = await create({ name: 'p' })
    for (const subset of ['val', 'train', '', 'train'])
      await tasks.createTask({ body: { name: 't', project_id: id, subset } }, anna.call)
    expect(await projects.getProject({ id }, anna.call)).toMatchObject({
      task_subsets: ['train', 'val'],
      dimension: '2d',
      tasks: { count: 4 },
    })
  })
})

test('a hundred concurrent changes emit a hundred events, each with the previous values', async () => {
  const { projects } = over('in-process')
  const { id } = await projects.createProject({ body: { name: '-' } }, anna.call)
  await takeEvents()
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      projects.updateProject({ id, body: { name: `name ${index}` } }, anna.call),
    ),
  )
  const events = await takeEvents()
  expect(events).toHaveLength(100)
  let last = '-'
  for (const { data } of events) {
    expect(data).toMatchObject({ before_update: { name: last } })
    last = String(Reflect.get(Reflect.get(Object(data), 'project'), 'name'))
  }
})

test('exactly one of fifty concurrent changes with the same ETag succeeds', async () => {
  const { projects } = over('in-process')
  const first = await projects.createProject({ body: { name: '-' } }, anna.call)
  const { id } = first
  await takeEvents()
  const attempts = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      projects.updateProject(
        { id, body: { name: `name ${index}` }, if_match: recordTag(first) },
        anna.call,
      ),
    ),
  )
  const made = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(made).toHaveLength(1)
  expect(await projects.getProject({ id }, anna.call)).toEqual(made[0])
  expect(await takeEvents()).toHaveLength(1)
})

test('above a thousand objects only the deletion of the project emits an event', async () => {
  const { projects } = over('in-process')
  const { id } = await projects.createProject({ body: { name: 'large' } }, anna.call)
  const rows = Array.from({ length: 1001 }, () => ({ name: 't', project_id: id }))
  await db.insertInto('tasks').values(rows).execute()
  await takeEvents()
  await projects.deleteProject({ id }, anna.call)
  expect(await takeEvents()).toMatchObject([{ type: 'delete:project' }])
})

test('with megabytes of labels in every task only the deletion of the project emits an event', async () => {
  const { projects } = over('in-process')
  const labels = Array.from({ length: 2500 }, (_, index) => ({ name: `${index}`.padEnd(60, '-') }))
  const { id } = await projects.createProject({ body: { name: 'heavy', labels } }, anna.call)
  const rows = Array.from({ length: 100 }, () => ({ name: 't', project_id: id }))
  await db.insertInto('tasks').values(rows).execute()
  await takeEvents()
  await projects.deleteProject({ id }, anna.call)
  const events = await takeEvents()
  expect(events.map((event) => event.type)).toEqual(['delete:project'])
})

describe('lists of projects', async () => {
  const [owner, other] = [await addUser(), await addUser()]
  const { projects } = over('in-process')
  const list = (query: Parameters<typeof projects.listProjects>[0], user = owner) =>
    projects.listProjects(query, user.call)
  for (const [name, owner_id, status] of [
    ['a', owner.id, 'completed'],
    ['b', owner.id, 'annotation'],
    ['c', other.id, 'annotation'],
    ['d', owner.id, 'annotation'],
  ] as const)
    await db.insertInto('projects').values({ name, owner_id, status }).execute()
  const names = async (...given: Parameters<typeof list>) =>
    (await list(...given)).results.map((one) => one.name).join('')

  test('contain visible projects, newest first', async () => {
    expect(await names({})).toBe('dba')
    expect(await names({}, other)).toBe('c')
    expect((await list({}, admin)).count).toBeGreaterThan(4)
  })

  test('are filtered by equality of every parameter', async () => {
    expect(await names({ status: 'annotation' })).toBe('db')
    expect(await names({ status: 'annotation', name: 'b' })).toBe('b')
    expect(await names({ owner: other.username }, admin)).toBe('c')
    expect(await names({ owner: other.username })).toBe('')
    expect(await names({ assignee: owner.username })).toBe('')
  })

  test('are sorted by several fields, ignoring unknown ones', async () => {
    expect(await names({ sort: 'name' })).toBe('abd')
    expect(await names({ sort: 'status,-name' })).toBe('dba')
    expect(await names({ sort: 'nonsense' })).toBe('dba')
    expect(await names({ sort: 'owner,name', name: 'c' }, admin)).toBe('c')
  })

  test('are paged', async () => {
    expect(await names({ page_size: '2' })).toBe('db')
    expect(await names({ page_size: '2', page: '2' })).toBe('a')
    expect(await names({ page_size: '2', page: 'last' })).toBe('a')
    for (const page of ['0', '3', 'x'])
      await expect(list({ page, page_size: '2' })).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('need as many statements for many rows as for few', async () => {
    const one = countStatements(db)
    await over('in-process', one.db).projects.listProjects({ page_size: '1' }, admin.call)
    const many = countStatements(db)
    await over('in-process', many.db).projects.listProjects({ page_size: '100' }, admin.call)
    expect(many.statements()).toBe(one.statements())
  })
})

test('renaming a project reads labels and tasks only once', async () => {
  const body = { name: 'p', labels: [{ name: 'car' }] }
  const { id } = await over('in-process').projects.createProject({ body }, anna.call)
  const { db: watched, statements } = countStatements(db)
  const { projects } = over('in-process', watched)
  await projects.updateProject({ id, body: { name: 'q' } }, anna.call)
  expect(statements()).toBeLessThanOrEqual(9)
})

test('two storages need as many statements as one', async () => {
  const local = { location: 'local' as const }
  const counted = async (storages: { source_storage?: object; target_storage?: object }) => {
    const { db: watched, statements } = countStatements(db)
    const { projects } = over('in-process', watched)
    await projects.createProject({ body: { name: 'p', ...storages } }, anna.call)
    return statements()
  }
  const both = await counted({ source_storage: local, target_storage: local })
  expect(both).toBe(await counted({ source_storage: local }))
})
