import type { Principal } from '@reticle/contracts/rest/principal'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, type TestUser, testWorkspace } from '../testing/workspace.ts'

/** Permissions outside organizations for every role, relation and action. */

const { db, addUser, over } = await testWorkspace()
const services = over('in-process')
const { projects, tasks, jobs } = services
const admin = await addUser('admin')
const maker = await addUser()

type Role = NonNullable<Principal['role']> | 'none'
const roles: Role[] = ['none', 'worker', 'user']
const targets = ['project', 'task', 'job'] as const

const project = await projects.createProject({ body: { name: 'p' } }, maker.call)
const task = await tasks.createTask({ body: { name: 't', project_id: project.id } }, maker.call)
await attachFrames(services, task.id, 3, maker)
const job = (await jobs.listJobs({ task_id: task.id }, maker.call)).results[0]
const ids = { project: project.id, task: task.id, job: job?.id ?? 0 }

/** Relations that a user can have to the target. */
const places = [
  'project owner',
  'project assignee',
  'task owner',
  'task assignee',
  'job assignee',
  'stranger',
] as const
type Place = (typeof places)[number]

async function seat(place: Place, { id }: TestUser) {
  const strangerValue = { owner_id: maker.id, assignee_id: null }
  const taken = (level: string) => ({
    ...strangerValue,
    ...(place === `${level} owner` && { owner_id: id }),
    ...(place === `${level} assignee` && { assignee_id: id }),
  })
  await db.updateTable('projects').set(taken('project')).where('id', '=', ids.project).execute()
  await db.updateTable('tasks').set(taken('task')).where('id', '=', ids.task).execute()
  const { assignee_id } = taken('job')
  await db.updateTable('jobs').set({ assignee_id }).where('id', '=', ids.job).execute()
}

const projectStaff: Place[] = ['project owner', 'project assignee']
const taskStaff: Place[] = [...projectStaff, 'task owner', 'task assignee']
const jobStaff: Place[] = [...taskStaff, 'job assignee']
const overTask: Place[] = [...projectStaff, 'task owner']

type Expectation = [who: Place[], least: Role]
const expected: Record<(typeof targets)[number], Record<string, Expectation>> = {
  project: {
    view: [projectStaff, 'none'],
    update: [projectStaff, 'worker'],
    'update:assignee': [['project owner'], 'worker'],
    'update:owner': [[], 'user'],
    'update:storages': [['project owner'], 'worker'],
    delete: [['project owner'], 'worker'],
    'create:task': [projectStaff, 'user'],
    webhooks: [[...places], 'none'],
  },
  task: {
    view: [taskStaff, 'none'],
    'data:read': [taskStaff, 'none'],
    'annotations:read': [taskStaff, 'none'],
    export: [taskStaff, 'none'],
    update: [taskStaff, 'worker'],
    'upload:data': [taskStaff, 'worker'],
    'update:meta': [taskStaff, 'worker'],
    'annotations:write': [taskStaff, 'worker'],
    import: [taskStaff, 'worker'],
    'update:owner': [overTask, 'worker'],
    'update:assignee': [overTask, 'worker'],
    'update:project': [overTask, 'worker'],
    delete: [overTask, 'worker'],
    'update:storages': [['project owner', 'task owner'], 'worker'],
    'create:job': [taskStaff, 'user'],
    'validation:read': [taskStaff, 'none'],
    'validation:write': [taskStaff, 'none'],
  },
  job: {
    view: [jobStaff, 'none'],
    'data:read': [jobStaff, 'none'],
    'annotations:read': [jobStaff, 'none'],
    export: [jobStaff, 'none'],
    'update:state': [jobStaff, 'worker'],
    'update:meta': [jobStaff, 'worker'],
    'annotations:write': [jobStaff, 'worker'],
    import: [jobStaff, 'worker'],
    'update:stage': [taskStaff, 'worker'],
    'update:assignee': [taskStaff, 'worker'],
    delete: [taskStaff, 'user'],
    'validation:read': [taskStaff, 'none'],
  },
}

describe.each(roles)('role %s', (role) => {
  test.each(places)('%s', async (place) => {
    const user = await addUser(role === 'none' ? null : role)
    await seat(place, user)
    const wrong: string[] = []
    for (const target of targets)
      for (const [action, [who, least]] of Object.entries(expected[target])) {
        const may = who.includes(place) && roles.indexOf(role) >= roles.indexOf(least)
        const attempt = tasks.authorize({ target, id: ids[target], action }, user.call)
        const verdict = await attempt.then(
          () => true,
          ({ kind }) => (kind === 'forbidden' ? false : kind),
        )
        if (verdict !== may) wrong.push(`${target} ${action}: ${verdict}`)
      }
    expect(wrong).toEqual([])
  })
})

test('an administrator may do everything', async () => {
  await seat('stranger', maker)
  for (const target of targets)
    for (const action of Object.keys(expected[target]))
      await tasks.authorize({ target, id: ids[target], action }, admin.call)
})

describe.each(transports)('%s', (transport) => {
  const remote = over(transport)
  const request = (target: (typeof targets)[number], user: TestUser, action = 'view') =>
    remote.tasks.authorize({ target, id: ids[target], action }, user.call)

  test('the facts contain the fields that other services need', async () => {
    await seat('stranger', maker)
    const range = { start_frame: 0, stop_frame: 2 }
    const shared = { organization_id: null, organization_role: null, dimension: '2d', subset: '' }
    const { updated_date } = await tasks.getTask({ id: ids.task }, maker.call)
    const jobDate = (await jobs.getJob({ id: ids.job }, maker.call)).updated_date
    expect(await request('task', maker)).toEqual({
      ...shared,
      target: 'task',
      name: expect.any(String),
      project_id: ids.project,
      task_id: ids.task,
      job_id: null,
      relations: ['project owner', 'project staff', 'task owner', 'task staff'],
      label_events: [],
      labels_revision: expect.any(Number),
      size: 3,
      updated_date,
      jobs: [{ id: ids.job, ...range }],
      frames: [],
    })
    expect(await request('job', maker)).toMatchObject({
      ...shared,
      job_id: ids.job,
      task_id: ids.task,
      relations: ['project owner', 'project staff', 'task owner', 'task staff', 'job staff'],
      size: 3,
      updated_date: jobDate,
      jobs: [{ id: ids.job, ...range }],
    })
    expect(await request('project', maker)).toMatchObject({
      ...shared,
      project_id: ids.project,
      task_id: null,
      relations: ['project owner', 'project staff'],
      size: 0,
      updated_date,
      jobs: [],
    })
  })

  test('jobs of other types are not listed among the jobs of a task', async () => {
    const other = { task_id: ids.task, start_frame: 0, stop_frame: 2 }
    for (const type of ['ground_truth', 'consensus_replica'] as const)
      await db
        .insertInto('jobs')
        .values({ ...other, type })
        .execute()
    const { jobs: found } = await request('task', maker)
    await db.deleteFrom('jobs').where('type', '<>', 'annotation').execute()
    expect(found.map(({ id }) => id)).toEqual([ids.job])
  })

  test('facts for webhooks need no permission and show that a stranger has no relation', async () => {
    const stranger = await addUser(null)
    expect(await request('project', stranger, 'webhooks')).toMatchObject({ relations: [] })
  })

  test('tasks and jobs of a project use its label revision', async () => {
    await projects.updateProject(
      { id: ids.project, body: { labels: [{ name: `of ${transport}` }] } },
      maker.call,
    )
    const [first, ...others] = await Promise.all(targets.map((target) => request(target, maker)))
    expect(first?.labels_revision).toBeGreaterThan(0)
    for (const one of others) expect(one.labels_revision).toBe(first?.labels_revision)
  })

  test.each(targets)('a missing %s is not found', async (target) => {
    const attempt = remote.tasks.authorize({ target, id: 999_999, action: 'view' }, maker.call)
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
  })
})

test('authorize needs at most one statement', async () => {
  for (const target of targets) {
    const { db: watched, statements } = countStatements(db)
    const watching = over('in-process', watched)
    await watching.tasks.authorize({ target, id: ids[target], action: 'view' }, maker.call)
    expect(statements()).toBeLessThanOrEqual(1)
  }
})
