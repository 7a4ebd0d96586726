import { projects as projectTable } from '@reticle/contracts/api/projects'
import { tasks as taskTable } from '@reticle/contracts/api/tasks'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { losingAnswers, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { handlers } from '../server.ts'
import { testOrganizations } from '../testing/organizations.ts'
import { attachFrames, type TestUser } from '../testing/workspace.ts'

/** Moves of objects between workspaces. */

const given = await testOrganizations()
const { db, blobs, over, addUser, addMember, addOrganization, as, takeEvents } = given
const admin = await addUser('admin')
const forbidden = { kind: 'forbidden' }

describe.each(transports)('over %s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs } = services

  /**
   * Adds an organization with a project of one task with two jobs, and a task without a project; all are assigned to
   * a member.
   */
  async function filled() {
    const { id, owner } = await addOrganization()
    const bo = await addMember(id, 'worker')
    const inside = await as(owner, id)
    const assigned = { assignee_id: bo.id }
    const within = { name: 'p', labels: [{ name: 'car' }], ...assigned }
    const project = await projects.createProject({ body: within }, inside)
    const parts = { name: 't', segment_size: 1, ...assigned }
    const task = await tasks.createTask({ body: { ...parts, project_id: project.id } }, inside)
    const alone = await tasks.createTask({ body: parts }, inside)
    const caller = { ...owner, call: inside }
    for (const one of [task, alone]) await attachFrames(services, one.id, 2, caller)
    for (const one of await jobsOf([task.id, alone.id], inside))
      await jobs.updateJob({ id: one.id, body: { assignee: bo.id } }, inside)
    await takeEvents()
    return { id, owner, bo, project: project.id, task: task.id, alone: alone.id }
  }

  async function jobsOf(task_ids: number[], call = admin.call) {
    const pages = task_ids.map((task_id) => jobs.listJobs({ task_id, sort: 'id' }, call))
    return (await Promise.all(pages)).flatMap(({ results }) => results)
  }
  type Patch = Parameters<typeof projects.updateProject>[0]['body']
  const moveProject = async (id: number, body: Patch, user: TestUser, is_busy?: boolean) =>
    projects.updateProject({ id, body, is_busy }, await as(user))
  type TaskPatch = Parameters<typeof tasks.updateTask>[0]['body']
  const moveTask = async (id: number, body: TaskPatch, user: TestUser, is_busy?: boolean) =>
    tasks.updateTask({ id, body, is_busy }, await as(user))

  test('a moved project takes its contents to the caller, and all assignees are removed', async () => {
    const { id, project, task, owner, bo } = await filled()
    const maria = await addMember(id, 'maintainer')
    const before = await projects.getProject({ id: project }, await as(owner))
    const jobsBefore = await jobsOf([task])

    const moved = await moveProject(project, { organization_id: null }, maria)
    expect(moved).toMatchObject({
      organization: null,
      organization_id: null,
      assignee: null,
      owner: { id: maria.id },
      labels: before.labels,
      tasks: { count: 1 },
    })
    expect(moved.updated_date > before.updated_date).toBe(true)
    expect(moved.assignee_updated_date).not.toBe(before.assignee_updated_date)
    expect(await projects.getProject({ id: project }, await as(maria))).toEqual(moved)
    const inside = await tasks.getTask({ id: task }, await as(maria))
    expect(inside).toMatchObject({
      organization: null,
      organization_id: null,
      assignee: null,
      owner: { id: maria.id },
    })
    expect(inside.updated_date <= moved.updated_date).toBe(true) // otherwise the date of the project would follow it
    const after = await jobsOf([task], await as(maria))
    expect(after).toMatchObject([
      { organization: null, assignee: null },
      { organization: null, assignee: null },
    ])
    for (const [at, job] of after.entries())
      expect(job.updated_date > (jobsBefore[at]?.updated_date ?? '')).toBe(true)
    for (const other of [owner, bo]) {
      const read = projects.getProject({ id: project }, await as(other))
      await expect(read).rejects.toMatchObject(forbidden)
      await expect(tasks.getTask({ id: task }, await as(other))).rejects.toMatchObject(forbidden)
      const job = jobs.getJob({ id: after[0]?.id ?? 0 }, await as(other))
      await expect(job).rejects.toMatchObject(forbidden)
    }
  })

  test('a move emits the changes of each object, its author and its new place', async () => {
    const { id, owner, bo, project, task } = await filled()
    const other = await addOrganization()
    const maria = await addMember(id, 'maintainer')
    await db
      .insertInto('memberships')
      .values({
        organization_id: other.id,
        user_id: maria.id,
        role: 'supervisor',
        is_active: true,
      })
      .execute()
    await takeEvents()

    const moved = await moveProject(project, { organization_id: other.id }, maria)
    const events = await takeEvents()
    expect(events.map(({ type, key }) => [type, key])).toEqual([
      ['project.moved', `project:${project}`],
      ['update:project', `project:${project}`],
      ['update:task', `task:${task}`],
      ['update:job', `task:${task}`],
      ['update:job', `task:${task}`],
    ])
    const [there, ofProject, ofTask, ofJob] = events
    expect(there?.data).toEqual({ project_id: project, organization_id: other.id })
    for (const { headers } of events.slice(1))
      expect(headers).toMatchObject({ 'org-id': String(other.id) })
    const old = { organization: id, organization_id: id }
    expect(ofProject?.data).toMatchObject({
      project: moved,
      before_update: { ...old, owner: { id: owner.id }, assignee: { id: bo.id } },
    })
    expect(ofTask?.data).toMatchObject({
      before_update: { ...old, owner: { id: owner.id }, assignee: { id: bo.id } },
    })
    expect(ofJob?.data).toMatchObject({
      job: { assignee: null, organization: other.id },
      before_update: { organization: id, assignee: { id: bo.id } },
    })
  })

  test('a task without a project moves alone', async () => {
    const { id, owner, bo, alone } = await filled()
    const moved = await moveTask(alone, { organization_id: null }, owner)
    expect(moved).toMatchObject({ organization_id: null, assignee: null, owner: { id: owner.id } })
    expect(await jobsOf([alone])).toMatchObject([{ assignee: null }, { assignee: null }])
    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      'task.moved',
      'update:task',
      'update:job',
      'update:job',
    ])
    expect(events[0]?.data).toEqual({ task_id: alone, project_id: null, organization_id: null })
    expect(events[1]).toMatchObject({
      data: { task: moved, before_update: { organization_id: id, assignee: { id: bo.id } } },
    })
    expect(events[1]?.headers).not.toHaveProperty('org-id')
    const back = await moveTask(alone, { organization_id: id }, owner)
    expect(back.organization_id).toBe(id)
  })

  test('a task of a project cannot move without its project', async () => {
    const { owner, task, alone, project } = await filled()
    const expected = (name: string) => ({ kind: 'invalid', body: { [name]: [expect.any(String)] } })
    await expect(moveTask(task, { organization_id: null }, owner)).rejects.toMatchObject(
      expected('organization_id'),
    )
    const both = moveTask(alone, { organization_id: null, project_id: project }, owner)
    await expect(both).rejects.toMatchObject(expected('project_id'))
  })

  test.each([
    ['name', { name: 'x' }],
    ['status', { status: 'completed' as const }],
    ['assignee_id', { assignee_id: null }],
    ['labels', { labels: [] }],
  ])('a move cannot change other fields: %s', async (name, more) => {
    const { owner, project } = await filled()
    const attempt = moveProject(project, { organization_id: null, ...more }, owner)
    await expect(attempt).rejects.toMatchObject({
      kind: 'invalid',
      body: { [name]: ['This field cannot be changed together with organization_id.'] },
    })
    expect(await takeEvents()).toEqual([])
  })

  test('a busy object cannot move, and a missing permission is reported first', async () => {
    const { id, owner, bo, project, alone } = await filled()
    const running = { kind: 'invalid', body: [expect.stringMatching(/^Background processes are/)] }
    const away = { organization_id: null }
    await expect(moveProject(project, away, owner, true)).rejects.toMatchObject(running)
    await expect(moveTask(alone, away, owner, true)).rejects.toMatchObject(running)
    await expect(moveProject(project, away, bo, true)).rejects.toMatchObject(forbidden)
    expect(await takeEvents()).toEqual([])
    const same = await moveProject(project, { organization_id: id }, owner, true)
    expect(same.organization_id).toBe(id)
  })

  test('a move to the same workspace keeps owner and assignee and emits no event', async () => {
    const { id, owner, bo, project, alone } = await filled()
    const kept = { organization_id: id, owner: { id: owner.id }, assignee: { id: bo.id } }
    expect(await moveProject(project, { organization_id: id }, owner)).toMatchObject(kept)
    expect(await moveTask(alone, { organization_id: id }, owner)).toMatchObject(kept)
    expect(await takeEvents()).toEqual([])
  })

  test('local storages move along, and the request can set others', async () => {
    const { owner, project, task } = await filled()
    const call = await as(owner)
    const local = { location: 'local' as const }
    await tasks.updateTask({ id: task, body: { source_storage: local } }, call)
    const body = { organization_id: null, target_storage: local }
    const moved = await moveProject(project, body, owner)
    expect(moved).toMatchObject({ source_storage: null, target_storage: local })
    expect((await tasks.getTask({ id: task }, call)).source_storage).toMatchObject(local)
  })

  test('a stale If-Match prevents a move', async () => {
    const { owner, project, alone } = await filled()
    const body = { organization_id: null }
    const if_match = '"1-0"'
    const late = projects.updateProject({ id: project, body, if_match }, await as(owner))
    await expect(late).rejects.toMatchObject({ kind: 'precondition' })
    const task = tasks.updateTask({ id: alone, body, if_match }, await as(owner))
    await expect(task).rejects.toMatchObject({ kind: 'precondition' })
  })
})

describe('the permission to move', () => {
  const { projects, tasks } = over('in-process')

  /** A move requires the permissions to delete in the old and to create in the new workspace. */
  test.each([
    ['owner', 'user', true],
    ['maintainer', 'user', true],
    ['supervisor', 'user', true],
    ['worker', 'user', false],
    ['maintainer', 'worker', false],
    [null, 'user', false],
  ] as const)(
    'into an organization as %s with the global role %s follows its role',
    async (role, global, may) => {
      const { id } = await addOrganization()
      const who = role ? await addMember(id, role, global) : await addUser(global)
      for (const kind of ['project', 'task'] as const) {
        const own = { name: 'own', owner_id: who.id }
        const row = await db
          .insertInto(`${kind}s`)
          .values(own)
          .returning('id')
          .executeTakeFirstOrThrow()
        const call = { id: row.id, body: { organization_id: id } }
        const context = await as(who)
        const moved =
          kind === 'project'
            ? projects.updateProject(call, context)
            : tasks.updateTask(call, context)
        if (may) expect(await moved).toMatchObject({ organization_id: id, owner: { id: who.id } })
        else await expect(moved).rejects.toMatchObject(forbidden)
      }
    },
  )

  test.each([
    ['owner', true],
    ['maintainer', true],
    ['supervisor', false],
    ['worker', false],
  ] as const)(
    'an object of another user out of an organization as %s follows the role',
    async (role, may) => {
      const { id, owner } = await addOrganization()
      const who = await addMember(id, role)
      const { id: project } = await projects.createProject(
        { body: { name: 'p' } },
        await as(owner, id),
      )
      const call = { id: project, body: { organization_id: null } }
      const moved = projects.updateProject(call, await as(who))
      if (may) expect(await moved).toMatchObject({ organization_id: null, owner: { id: who.id } })
      else await expect(moved).rejects.toMatchObject(forbidden)
    },
  )

  test('is denied to an assignee who is not the owner', async () => {
    const { id, owner } = await addOrganization()
    const bo = await addMember(id, 'worker')
    const body = { name: 'p', assignee_id: bo.id }
    const { id: project } = await projects.createProject({ body }, await as(owner, id))
    const moved = projects.updateProject(
      { id: project, body: { organization_id: null } },
      await as(bo),
    )
    await expect(moved).rejects.toMatchObject(forbidden)
  })

  test('requires an existing organization', async () => {
    const anna = await addUser()
    const { id } = await projects.createProject({ body: { name: 'p' } }, anna.call)
    const body = { organization_id: 999_999 }
    const refused = {
      kind: 'invalid',
      body: { organization_id: ['Invalid pk "999999" - object does not exist.'] },
    }
    await expect(projects.updateProject({ id, body }, anna.call)).rejects.toMatchObject(refused)
    const stranger = await addUser()
    const unseen = projects.updateProject({ id, body }, stranger.call)
    await expect(unseen).rejects.toMatchObject(forbidden)
    const missing = projects.updateProject({ id: 999_999, body }, anna.call)
    await expect(missing).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('is granted to administrators for all objects', async () => {
    const { id, owner } = await addOrganization()
    const task = await tasks.createTask({ body: { name: 't' } }, owner.call)
    const moved = await tasks.updateTask({ id: task.id, body: { organization_id: id } }, admin.call)
    expect(moved).toMatchObject({ organization_id: id, owner: { id: admin.id } })
  })
})

test('above a thousand objects only the project emits an event', async () => {
  const { projects } = over('in-process')
  const anna = await addUser()
  const { id } = await projects.createProject({ body: { name: 'p' } }, anna.call)
  const { id: organization_id } = await addOrganization()
  const rows = Array.from({ length: 1001 }, () => ({
    name: 't',
    project_id: id,
    owner_id: anna.id,
  }))
  await db.insertInto('tasks').values(rows).execute()
  await takeEvents()
  await projects.updateProject({ id, body: { organization_id } }, admin.call)
  expect((await takeEvents()).map(({ type }) => type)).toEqual(['project.moved', 'update:project'])
  const left = await db
    .selectFrom('tasks')
    .select('id')
    .where('project_id', '=', id)
    .where((where) =>
      where.or([where('organization_id', 'is', null), where('owner_id', '<>', admin.id)]),
    )
    .execute()
  expect(left).toEqual([])
})

test('a move repeated over a broken connection happens once', async () => {
  const all = handlers({ db, blobs, clock: systemClock, settings: readConfig({}) })
  const [projects, tasks] = [
    await losingAnswers(projectTable, all.projects),
    await losingAnswers(taskTable, all.tasks),
  ]
  const { id: organization_id, owner } = await addOrganization()
  const call = await as(owner)
  const project = await projects.createProject({ body: { name: 'p' } }, call)
  const task = await tasks.createTask({ body: { name: 't' } }, call)
  await takeEvents()
  const body = { organization_id }
  const moved = await projects.updateProject({ id: project.id, body }, call)
  expect(moved).toEqual(await projects.getProject({ id: project.id }, call))
  expect(await tasks.updateTask({ id: task.id, body }, call)).toMatchObject(body)
  expect((await takeEvents()).map(({ type }) => type)).toEqual([
    ...['project.moved', 'update:project'],
    ...['task.moved', 'update:task'],
  ])
})
