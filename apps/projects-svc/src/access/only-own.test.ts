import type { CallContext } from '@reticle/kit'
import { describe, expect, test } from 'vitest'
import { testCloudStorages } from '../testing/cloud-storages.ts'
import { addReview } from '../testing/review.ts'
import type { TestUser } from '../testing/workspace.ts'

/** Lists of a dialect without a scope (`docs/spec/dialect.md`, Lists): `only_own` of the principal. */

const { db, over, as, addUser, addMember, addOrganization, addBucket, bodyOf } =
  await testCloudStorages()
const { projects, tasks, jobs, labels, issues, storages, organizations, ...others } =
  over('in-process')
const services = { projects, tasks, jobs, ...others }

/** An organization whose owner made one object of every kind in it. */
async function fill() {
  const { id, owner } = await addOrganization()
  const inside = await as(owner, id)
  const review = await addReview(services, { ...owner, call: inside })
  const { project_id, job } = review
  const body = { labels: [{ name: 'car' }] }
  await projects.updateProject({ id: project_id, body }, inside)
  const issue = { job, frame: 0, position: [1, 1], message: 'Look here' }
  await issues.createIssue({ body: issue }, inside)
  const bucket = bodyOf(addBucket().name)
  await storages.createCloudStorage({ body: bucket }, inside)
  const email = `invited${id}@example.org`
  await organizations.createInvitation({ body: { email, role: 'worker' } }, inside)
  return { id, owner, ...review }
}

/** As the caller of a list of the dialect that names no workspace. */
async function onlyOwn(user: TestUser): Promise<CallContext> {
  const call = await as(user)
  return { ...call, principal: call.principal && { ...call.principal, only_own: true } }
}

const lists: Record<string, (call: CallContext) => Promise<{ count: number }>> = {
  projects: (call) => projects.listProjects({}, call),
  tasks: (call) => tasks.listTasks({}, call),
  jobs: (call) => jobs.listJobs({}, call),
  labels: (call) => labels.listLabels({}, call),
  issues: (call) => issues.listIssues({}, call),
  comments: (call) => issues.listComments({}, call),
  cloudstorages: (call) => storages.listCloudStorages({}, call),
  invitations: (call) => organizations.listInvitations({}, call),
}

async function countAll(call: CallContext) {
  const counts: Record<string, number> = {}
  for (const [name, list] of Object.entries(lists)) counts[name] = (await list(call)).count
  return counts
}

const each = (count: number) => Object.fromEntries(Object.keys(lists).map((name) => [name, count]))
const all = { ...each(1), jobs: 2 }

const acme = await fill()

describe('with only_own', () => {
  test('leaders see what they own or are assigned to, and no object of other members', async () => {
    const maintainer = await addMember(acme.id, 'maintainer')
    expect(await countAll(await as(maintainer))).toEqual(all)
    expect(await countAll(await onlyOwn(maintainer))).toEqual(each(0))
    expect(await countAll(await onlyOwn(acme.owner))).toEqual(all)
  })

  test('supervisors see their own cloud storages only', async () => {
    const supervisor = await addMember(acme.id, 'supervisor')
    expect((await countAll(await as(supervisor))).cloudstorages).toBe(1)
    expect(await countAll(await onlyOwn(supervisor))).toEqual(each(0))
  })

  test('administrators see everything', async () => {
    const admin = await addUser('admin')
    expect(await countAll(await onlyOwn(admin))).toEqual(await countAll(await as(admin)))
  })

  test('objects in the sandbox and in organizations are listed together', async () => {
    const { call, ...user } = await addMember(acme.id, 'maintainer')
    await addReview(services, { ...user, call })
    await db
      .updateTable('jobs')
      .set({ assignee_id: user.id })
      .where('id', '=', acme.other_job)
      .execute()
    const seen = await countAll(await onlyOwn({ ...user, call }))
    expect(seen).toEqual({ ...each(0), projects: 1, tasks: 1, jobs: 3 })
  })

  test('an assignee of a task sees the task, its jobs, their issues and comments', async () => {
    const { id, task_id } = await fill()
    const maintainer = await addMember(id, 'maintainer')
    await db
      .updateTable('tasks')
      .set({ assignee_id: maintainer.id })
      .where('id', '=', task_id)
      .execute()
    const seen = await countAll(await onlyOwn(maintainer))
    expect(seen).toEqual({ ...each(0), tasks: 1, jobs: 2, issues: 1, comments: 1 })
  })

  test('a parent in the query limits lists of jobs and tasks further, and replaces the limit of labels', async () => {
    const call = await onlyOwn(await addMember(acme.id, 'maintainer'))
    const { project_id, task_id } = acme
    expect((await tasks.listTasks({ project_id }, call)).count).toBe(0)
    expect((await jobs.listJobs({ task_id }, call)).count).toBe(0)
    expect((await labels.listLabels({ task_id }, call)).count).toBe(1)
    expect((await labels.listLabels({ project_id }, call)).count).toBe(1)
  })

  test('the names of parents are searched as without it', async () => {
    const maintainer = await addMember(acme.id, 'maintainer')
    const { task_id } = acme
    await db
      .updateTable('jobs')
      .set({ assignee_id: maintainer.id })
      .where('task_id', '=', task_id)
      .execute()
    const call = await onlyOwn(maintainer)
    expect((await jobs.listJobs({ task_name: 't', project_name: 'p' }, call)).count).toBe(2)
  })

  test('single objects are read as without it', async () => {
    const call = await onlyOwn(await addMember(acme.id, 'maintainer'))
    expect(await projects.getProject({ id: acme.project_id }, call)).toMatchObject({ name: 'p' })
  })
})
