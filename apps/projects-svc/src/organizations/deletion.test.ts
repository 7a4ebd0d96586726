import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testOrganizations } from '../testing/organizations.ts'
import { attachFrames } from '../testing/workspace.ts'

/** Objects and members of a deleted organization. */

const { db, over, addUser, addMember, addOrganization, as, takeEvents } = await testOrganizations()
const admin = await addUser('admin')
const notFound = { kind: 'not_found' }

describe.each(transports)('over %s', (transport) => {
  const services = over(transport)
  const { organizations, projects, tasks, jobs } = services

  test('deleting an organization moves its projects and tasks to their owners', async () => {
    const { id, owner } = await addOrganization()
    const bo = await addMember(id, 'worker')
    const inside = await as(owner, id)
    const body = { name: 'p', assignee_id: bo.id }
    const project = await projects.createProject({ body }, inside)
    const within = { name: 't', project_id: project.id }
    const task = await tasks.createTask({ body: within }, inside)
    const alone = await tasks.createTask({ body: { name: 'alone' } }, inside)
    await takeEvents()

    await organizations.deleteOrganization({ id }, await as(owner))
    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      'delete:organization',
      'update:project',
      'update:task',
      'update:task',
    ])
    expect(events[1]).toMatchObject({ data: { before_update: { organization_id: id } } })
    const left = await as(owner)
    expect(left.principal?.organization_roles).toEqual({})
    expect(await projects.getProject({ id: project.id }, left)).toMatchObject({
      organization: null,
      organization_id: null,
      assignee: { id: bo.id },
    })
    for (const one of [task, alone])
      expect((await tasks.getTask({ id: one.id }, left)).organization_id).toBeNull()
    await expect(organizations.getOrganization({ id }, admin.call)).rejects.toMatchObject(notFound)
  })

  test('deleting an organization with its objects deletes projects and tasks on request', async () => {
    const { id, owner } = await addOrganization()
    const inside = await as(owner, id)
    const project = await projects.createProject({ body: { name: 'p' } }, inside)
    await tasks.createTask({ body: { name: 't', project_id: project.id } }, inside)
    const alone = await tasks.createTask({ body: { name: 'alone' } }, inside)
    const own = await tasks.createTask({ body: { name: 'own' } }, owner.call)
    await takeEvents()

    await organizations.deleteOrganization({ id, objects: 'delete' }, await as(owner))
    expect((await takeEvents()).map(({ type }) => type)).toEqual([
      'delete:organization',
      'delete:task',
      'delete:project',
      'delete:task',
    ])
    await expect(projects.getProject({ id: project.id }, admin.call)).rejects.toMatchObject(
      notFound,
    )
    await expect(tasks.getTask({ id: alone.id }, admin.call)).rejects.toMatchObject(notFound)
    expect(await tasks.getTask({ id: own.id }, owner.call)).toMatchObject({ name: 'own' })
  })

  test('its jobs emit their new place and keep their assignees', async () => {
    const { id, owner } = await addOrganization()
    const bo = await addMember(id, 'worker')
    const inside = await as(owner, id)
    const task = await tasks.createTask({ body: { name: 't', segment_size: 1 } }, inside)
    await attachFrames(services, task.id, 2, { ...owner, call: inside })
    const [job] = (await jobs.listJobs({ task_id: task.id }, inside)).results
    await jobs.updateJob({ id: job?.id ?? 0, body: { assignee: bo.id } }, inside)
    await takeEvents()

    await organizations.deleteOrganization({ id }, await as(owner))
    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      'delete:organization',
      'update:task',
      'update:job',
      'update:job',
    ])
    expect(events[2]).toMatchObject({ key: `task:${task.id}`, headers: {} })
    expect(events.map(({ data }) => data).slice(2)).toMatchObject([
      { job: { organization: null }, before_update: { organization: id } },
      { job: { organization: null }, before_update: { organization: id } },
    ])
    const left = await jobs.getJob({ id: job?.id ?? 0 }, await as(bo))
    expect(left).toMatchObject({ organization: null, assignee: { id: bo.id } })
  })

  test('its projects get dates not earlier than those of their tasks', async () => {
    const { id, owner } = await addOrganization()
    const inside = await as(owner, id)
    const project = await projects.createProject({ body: { name: 'p' } }, inside)
    const body = { name: 't', project_id: project.id }
    const task = await tasks.createTask({ body }, inside)
    await organizations.deleteOrganization({ id }, await as(owner))
    const [left, within] = [
      await projects.getProject({ id: project.id }, owner.call),
      await tasks.getTask({ id: task.id }, owner.call),
    ]
    expect(within.updated_date <= left.updated_date).toBe(true)
  })

  test('memberships and invitations are deleted with it', async () => {
    const { id, owner } = await addOrganization()
    await addMember(id, 'worker')
    const body = { email: `gone-${transport}@example.org`, role: 'worker' as const }
    const { key } = await organizations.createInvitation({ body }, await as(owner, id))
    await organizations.deleteOrganization({ id }, await as(owner))
    const read = organizations.getInvitation({ key }, admin.call)
    await expect(read).rejects.toMatchObject(notFound)
    const rows = await db
      .selectFrom('memberships')
      .select('id')
      .where('organization_id', '=', id)
      .execute()
    expect(rows).toEqual([])
  })

  test.each(['keep', 'delete'] as const)(
    'an organization with running requests is not deleted: %s',
    async (objects) => {
      const { id, owner } = await addOrganization()
      const project = await projects.createProject({ body: { name: 'p' } }, await as(owner, id))
      await takeEvents()
      const call = await as(owner)
      const attempt = organizations.deleteOrganization({ id, objects, is_busy: true }, call)
      await expect(attempt).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringMatching(/^Background processes of the organization are still run/),
      })
      expect(await takeEvents()).toEqual([])
      expect(await organizations.getOrganization({ id }, call)).toMatchObject({ id })
      expect(await projects.getProject({ id: project.id }, call)).toMatchObject({
        organization_id: id,
      })
    },
  )

  test('a missing permission is reported before other errors', async () => {
    const { id } = await addOrganization()
    const [worker, stranger] = [await addMember(id, 'worker'), await addUser()]
    const removed = async (user: typeof stranger) =>
      organizations.deleteOrganization({ id, is_busy: true }, await as(user))
    await expect(removed(worker)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(removed(stranger)).rejects.toMatchObject(notFound)
  })
})

test('more than a thousand objects move to their owners without an event each', async () => {
  const { organizations, projects } = over('in-process')
  const { id, owner } = await addOrganization()
  const names = Array.from({ length: 1001 }, (_, at) => ({
    name: `p${at}`,
    owner_id: owner.id,
    organization_id: id,
  }))
  const [first] = await db.insertInto('projects').values(names).returning('id').execute()
  await takeEvents()
  await organizations.deleteOrganization({ id }, await as(owner))
  expect((await takeEvents()).map(({ type }) => type)).toEqual(['delete:organization'])
  expect(await projects.getProject({ id: first?.id ?? 0 }, await as(owner))).toMatchObject({
    organization_id: null,
  })
})

test('more than a thousand objects are deleted with only the events of their parents', async () => {
  const { organizations, tasks } = over('in-process')
  const { id, owner } = await addOrganization()
  const inside = await as(owner, id)
  const alone = await tasks.createTask({ body: { name: 'alone', segment_size: 1 } }, inside)
  await attachFrames(over('in-process'), alone.id, 2, { ...owner, call: inside })
  const place = { owner_id: owner.id, organization_id: id }
  const names = [
    { name: 'one', ...place },
    { name: 'two', ...place },
  ]
  const projects = await db.insertInto('projects').values(names).returning('id').execute()
  for (const { id: project_id } of projects) {
    const rows = Array.from({ length: 500 }, () => ({ name: 't', project_id, ...place }))
    await db.insertInto('tasks').values(rows).execute()
  }
  await takeEvents()
  await organizations.deleteOrganization({ id, objects: 'delete' }, await as(owner))
  const partsOf = (data: unknown) =>
    ['task_ids', 'job_ids'].map((key) => Reflect.get(Object(data), key)?.length)
  expect((await takeEvents()).map(({ type, data }) => [type, ...partsOf(data)])).toEqual([
    ['delete:organization', undefined, undefined],
    ['delete:project', 500, undefined],
    ['delete:project', 500, undefined],
    ['delete:task', undefined, 2],
  ])
})
