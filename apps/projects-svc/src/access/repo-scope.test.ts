import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { describe, expect, test } from 'vitest'
import { testOrganizations } from '../testing/organizations.ts'
import { attachFrames, type TestUser } from '../testing/workspace.ts'
import { isLeader } from './roles.ts'

/** Workspaces of requests, and permissions in organizations. */

const { db, over, overSettings, addUser, addMember, addOrganization, as } =
  await testOrganizations()
const services = over('in-process')
const { projects, tasks, jobs, labels } = services
const admin = await addUser('admin')

/** Adds an organization with one object of each kind, created by its owner. */
async function fill() {
  const { id, owner } = await addOrganization()
  const inside = await as(owner, id)
  const body = { name: 'p', labels: [{ name: 'car' }] }
  const project = await projects.createProject({ body }, inside)
  const within = { name: 't', project_id: project.id }
  const task = await tasks.createTask({ body: within }, inside)
  await attachFrames(services, task.id, 1, { ...owner, call: await as(owner) })
  const [job] = (await jobs.listJobs({ task_id: task.id }, inside)).results
  return { id, owner, ids: { project: project.id, task: task.id, job: job?.id ?? 0 } }
}

const acme = await fill()

describe('lists in workspaces', () => {
  /** Counts the projects, tasks, jobs and labels that a user sees in that workspace. */
  async function seen(user: TestUser, scope?: number | null) {
    const call = await as(user, scope)
    return [
      (await projects.listProjects({}, call)).count,
      (await tasks.listTasks({}, call)).count,
      (await jobs.listJobs({}, call)).count,
      (await labels.listLabels({}, call)).count,
    ]
  }

  test('show leaders all objects of the organization, and others only their own', async () => {
    const { id } = acme
    for (const role of ['owner', 'maintainer'] as const)
      expect(await seen(await addMember(id, role), id)).toEqual([1, 1, 1, 1])
    for (const role of ['supervisor', 'worker'] as const)
      expect(await seen(await addMember(id, role), id)).toEqual([0, 0, 0, 0])
    expect(await seen(await addMember(id, 'owner', 'worker'), id)).toEqual([0, 0, 0, 0])
    expect(await seen(await addUser(), id)).toEqual([0, 0, 0, 0])
    expect(await seen(admin, id)).toEqual([1, 1, 1, 1])
  })

  test('show staff their objects', async () => {
    const { id, ids } = await fill()
    const worker = await addMember(id, 'worker', 'worker')
    await db
      .updateTable('projects')
      .set({ assignee_id: worker.id })
      .where('id', '=', ids.project)
      .execute()
    expect(await seen(worker, id)).toEqual([1, 1, 1, 1])
  })

  test('omit workspaces other than that of the request', async () => {
    const bo = await addMember(acme.id, 'maintainer')
    const other = await fill()
    await db
      .insertInto('memberships')
      .values({ organization_id: other.id, user_id: bo.id, role: 'maintainer', is_active: true })
      .execute()
    const body = { name: 'own', labels: [{ name: 'tree' }] }
    const own = await tasks.createTask({ body }, bo.call)
    await attachFrames(services, own.id, 1, bo)
    expect(await seen(bo, acme.id)).toEqual([1, 1, 1, 1])
    expect(await seen(bo, other.id)).toEqual([1, 1, 1, 1])
    expect(await seen(bo, null)).toEqual([0, 1, 1, 1])
    expect(await seen(bo)).toEqual([2, 3, 3, 3])
  })

  test('show administrators only objects without an organization in the personal workspace', async () => {
    const [inSandbox = 0] = await seen(admin, null)
    const [everywhere = 0] = await seen(admin)
    const { results } = await projects.listProjects({ page_size: '100' }, await as(admin, null))
    expect(results.every(({ organization_id }) => organization_id === null)).toBe(true)
    expect(everywhere).toBeGreaterThan(inSandbox)
  })

  test('show a job to its assignee, member or not, and nothing else', async () => {
    const { id, ids } = await fill()
    const guest = await addUser('worker')
    const strangerValue = await addUser(null)
    const assign = (user: TestUser) =>
      db.updateTable('jobs').set({ assignee_id: user.id }).where('id', '=', ids.job).execute()
    await assign(guest)
    expect(await seen(guest)).toEqual([0, 0, 1, 0])
    expect(await seen(guest, null)).toEqual([0, 0, 0, 0])
    const send = (user: TestUser, action: string) =>
      verdict(tasks.authorize({ target: 'job', id: ids.job, action }, user.call))
    for (const action of ['view', 'data:read', 'annotations:write', 'update:state'])
      expect([action, await send(guest, action)]).toEqual([action, true])
    for (const action of ['export', 'update:assignee', 'delete'])
      expect([action, await send(guest, action)]).toEqual([action, false])
    const facts = await tasks.authorize({ target: 'job', id: ids.job, action: 'view' }, guest.call)
    expect(facts).toMatchObject({ organization_id: id, organization_role: 'guest' })
    const task = tasks.authorize({ target: 'task', id: ids.task, action: 'view' }, guest.call)
    expect(await verdict(task)).toBe(false)
    for (const other of [strangerValue, await addUser('user')]) {
      await assign(other)
      expect(await seen(other)).toEqual([0, 0, 0, 0])
      expect(await send(other, 'view')).toBe(false)
    }
  })
})

const verdict = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    ({ kind }) => (kind === 'forbidden' ? false : kind),
  )

describe('creation in a workspace', () => {
  const body = { name: 'new' }

  test.each([
    ['owner', 'user', true],
    ['maintainer', 'user', true],
    ['supervisor', 'user', true],
    ['worker', 'user', false],
    ['owner', 'worker', false],
    ['supervisor', 'worker', false],
  ] as const)(
    'of projects and tasks in an organization as %s with the global role %s: %s',
    async (role, global, may) => {
      const call = await as(await addMember(acme.id, role, global), acme.id)
      for (const attempt of [
        () => projects.createProject({ body }, call),
        () => tasks.createTask({ body }, call),
      ]) {
        if (may)
          expect(await attempt()).toMatchObject({ organization: acme.id, organization_id: acme.id })
        else await expect(attempt()).rejects.toMatchObject({ kind: 'forbidden' })
      }
    },
  )

  test('requires membership', async () => {
    const call = await as(await addUser(), acme.id)
    expect(await verdict(projects.createProject({ body }, call))).toBe(false)
    expect(await verdict(tasks.createTask({ body }, call))).toBe(false)
    const made = await projects.createProject({ body }, await as(admin, acme.id))
    expect(made.organization_id).toBe(acme.id)
  })

  test('without a workspace or in the personal one creates outside organizations', async () => {
    for (const scope of [undefined, null]) {
      const call = await as(acme.owner, scope)
      expect((await projects.createProject({ body }, call)).organization_id).toBeNull()
      expect((await tasks.createTask({ body }, call)).organization_id).toBeNull()
    }
  })

  test('in a deleted organization is not found', async () => {
    const call = await as(admin, 99_999)
    for (const attempt of [
      () => projects.createProject({ body }, call),
      () => tasks.createTask({ body }, call),
    ])
      await expect(attempt()).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('of a task in a project happens in the workspace of the project, which the request must match', async () => {
    const { id, owner, ids } = await fill()
    const within = { name: 't', project_id: ids.project }
    for (const scope of [undefined, id]) {
      const made = await tasks.createTask({ body: within }, await as(owner, scope))
      expect(made.organization_id).toBe(id)
    }
    for (const scope of [null, acme.id]) {
      const attempt = tasks.createTask({ body: within }, await as(owner, scope))
      await expect(attempt).rejects.toMatchObject({
        kind: 'invalid',
        body: ['The task and its project should be in the same organization.'],
      })
    }
  })

  test('of a task in a project is granted to supervisors, and to workers who are its staff', async () => {
    const { id, ids } = await fill()
    const within = { name: 't', project_id: ids.project }
    const supervisor = await addMember(id, 'supervisor')
    const worker = await addMember(id, 'worker')
    const mayCreate = async (user: TestUser) =>
      verdict(
        tasks.authorize(
          { target: 'project', id: ids.project, action: 'create:task' },
          await as(user),
        ),
      )
    expect(await mayCreate(supervisor)).toBe(true)
    expect(await mayCreate(worker)).toBe(false)
    await db
      .updateTable('projects')
      .set({ assignee_id: worker.id })
      .where('id', '=', ids.project)
      .execute()
    expect(await mayCreate(worker)).toBe(true)
    await tasks.createTask({ body: within }, await as(worker, id))
  })
})

describe('users named in a body', () => {
  test('must be active members of the organization', async () => {
    const { id, owner, ids } = await fill()
    const worker = await addMember(id, 'worker')
    const query = await addMember(id, 'worker', 'user', false)
    const stranger = await addUser()
    const inside = await as(owner, id)
    const ways = [
      (assignee_id: number) => projects.createProject({ body: { name: 'p', assignee_id } }, inside),
      (assignee_id: number) => tasks.createTask({ body: { name: 't', assignee_id } }, inside),
      (assignee_id: number) =>
        projects.updateProject({ id: ids.project, body: { assignee_id } }, inside),
      (assignee_id: number) => tasks.updateTask({ id: ids.task, body: { assignee_id } }, inside),
      (assignee_id: number) => jobs.updateJob({ id: ids.job, body: { assignee_id } }, inside),
    ]
    for (const way of ways) {
      for (const { id: other } of [query, stranger])
        await expect(way(other)).rejects.toMatchObject({
          kind: 'invalid',
          body: { assignee_id: ['The user is not a member of the organization'] },
        })
      expect(await way(worker.id)).toMatchObject({ assignee: { id: worker.id } })
    }
  })
})

/** Permissions in organizations for every role, global role, relation and action. */
describe('permissions in an organization', () => {
  type Role = NonNullable<Principal['role']> | 'none'
  const globals: Role[] = ['none', 'worker', 'user']
  const places = ['project assignee', 'task assignee', 'job assignee', 'nobody'] as const
  type Place = (typeof places)[number]
  const organizationRoles: OrganizationRole[] = ['owner', 'maintainer', 'supervisor', 'worker']

  const projectStaff: Place[] = ['project assignee']
  const taskStaff: Place[] = [...projectStaff, 'task assignee']
  const jobStaff: Place[] = [...taskStaff, 'job assignee']
  type Member = [who: Place[], least: Role, only?: OrganizationRole]
  /** Permissions of supervisors and workers; leaders may do everything. */
  const expected: Record<'project' | 'task' | 'job', Record<string, Member>> = {
    project: {
      view: [projectStaff, 'none'],
      update: [projectStaff, 'worker'],
      'update:assignee': [[], 'worker'],
      'update:owner': [[], 'worker'],
      'update:storages': [[], 'worker'],
      delete: [[], 'worker'],
    },
    task: {
      view: [taskStaff, 'none'],
      export: [taskStaff, 'none'],
      update: [taskStaff, 'worker'],
      'annotations:write': [taskStaff, 'worker'],
      'update:assignee': [projectStaff, 'worker'],
      delete: [projectStaff, 'worker'],
      'update:storages': [[], 'worker'],
    },
    job: {
      view: [jobStaff, 'none'],
      'annotations:write': [jobStaff, 'worker'],
      'update:state': [jobStaff, 'worker'],
      'update:stage': [taskStaff, 'worker'],
      'update:assignee': [taskStaff, 'worker'],
      delete: [taskStaff, 'user', 'supervisor'],
    },
  }
  const targets = ['project', 'task', 'job'] as const

  async function seat(place: Place, id: number, ids: typeof acme.ids) {
    const at = (level: string) => ({ assignee_id: place === `${level} assignee` ? id : null })
    await db.updateTable('projects').set(at('project')).where('id', '=', ids.project).execute()
    await db.updateTable('tasks').set(at('task')).where('id', '=', ids.task).execute()
    await db.updateTable('jobs').set(at('job')).where('id', '=', ids.job).execute()
  }

  const cells = targets.flatMap((target) =>
    Object.entries(expected[target]).map(([action, member]) => ({ target, action, member })),
  )
  const seats = organizationRoles.flatMap((role) =>
    globals.map((global) => [role, global] as const),
  )

  test.each(seats)('of a %s with the global role %s', async (role, global) => {
    const { id, ids } = await fill()
    const user = await addMember(id, role, global === 'none' ? null : global)
    const call = await as(user)
    const leads = isLeader(role) && global === 'user'
    const mayHere = (place: Place, [who, least, only]: Member) =>
      who.includes(place) &&
      globals.indexOf(global) >= globals.indexOf(least) &&
      (only ?? role) === role
    const wrong: string[] = []
    for (const place of places) {
      await seat(place, user.id, ids)
      for (const { target, action, member } of cells) {
        const got = await verdict(tasks.authorize({ target, id: ids[target], action }, call))
        if (got !== (leads || mayHere(place, member))) wrong.push(`${place}: ${action}: ${got}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('to export under restriction are left to supervisors who are staff, and to owners', async () => {
    const { id, ids } = await fill()
    const strict = overSettings({ restrictsWorkerExports: true })
    const query = { target: 'task' as const, id: ids.task, action: 'export' }
    const worker = await addMember(id, 'worker')
    const supervisor = await addMember(id, 'supervisor')
    const mayExport = async (user: TestUser, place: 'owner_id' | 'assignee_id') => {
      await db
        .updateTable('tasks')
        .set({ [place]: user.id })
        .where('id', '=', ids.task)
        .execute()
      const call = await as(user)
      return [
        await verdict(tasks.authorize(query, call)),
        await verdict(strict.tasks.authorize(query, call)),
      ]
    }
    expect(await mayExport(worker, 'assignee_id')).toEqual([true, false])
    expect(await mayExport(supervisor, 'assignee_id')).toEqual([true, true])
    expect(await mayExport(worker, 'owner_id')).toEqual([true, true])
    const leader = await addMember(id, 'maintainer')
    expect(await verdict(strict.tasks.authorize(query, await as(leader)))).toBe(true)
  })

  test('use the organization and role in the facts', async () => {
    const { id, ids } = await fill()
    const supervisor = await addMember(id, 'supervisor')
    const query = { target: 'project' as const, id: ids.project, action: 'webhooks' }
    expect(await tasks.authorize(query, await as(supervisor))).toMatchObject({
      organization_id: id,
      organization_role: 'supervisor',
    })
    const stranger = await addUser()
    expect(await tasks.authorize(query, await as(stranger))).toMatchObject({
      organization_id: id,
      organization_role: null,
    })
  })

  test('do not come from another organization', async () => {
    const other = await addOrganization()
    const call = await as(other.owner, other.id)
    const attempt = projects.getProject({ id: acme.ids.project }, call)
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('depend on the organization of the object, not on the workspace of the request', async () => {
    const bo = await addMember(acme.id, 'maintainer')
    const other = await addOrganization()
    const read = await projects.getProject({ id: acme.ids.project }, await as(bo, other.id))
    expect(read.organization_id).toBe(acme.id)
  })
})
