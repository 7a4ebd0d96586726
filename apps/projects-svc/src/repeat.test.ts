import { identity as identityTable } from '@reticle/contracts/api/identity'
import { jobs as jobTable } from '@reticle/contracts/api/jobs'
import { labels as labelTable } from '@reticle/contracts/api/labels'
import { projects as projectTable } from '@reticle/contracts/api/projects'
import { tasks as taskTable } from '@reticle/contracts/api/tasks'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { callAs } from '@reticle/kit/testing/call'
import { losingAnswers } from '@reticle/kit/testing/transport'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { createUser } from './identity/index.ts'
import { handlers } from './server.ts'
import { attachFrames, testWorkspace } from './testing/workspace.ts'

/** Effects of repeated calls over a network that loses the first response to every change. */

const { db, blobs, takeEvents, over } = await testWorkspace()
const all = handlers({ db, blobs, clock: systemClock, settings: readConfig({}) })
const projects = await losingAnswers(projectTable, all.projects)
const labels = await losingAnswers(labelTable, all.labels)
const tasks = await losingAnswers(taskTable, all.tasks)
const jobs = await losingAnswers(jobTable, all.jobs)
const identity = await losingAnswers(identityTable, all.identity)

const password = 'a good password'
const user = await createUser(db, { username: 'anna', email: 'anna@example.org', password })
const anna = () => callAs({ user_id: user.id, username: user.username })
const typesOf = async () => (await takeEvents()).map(({ type }) => type)
type Counted = 'projects' | 'tasks' | 'labels' | 'access_tokens' | 'auth_tokens' | 'sessions'
const countOf = async (table: Counted) =>
  (
    await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirst()
  )?.count

test('a project is created, changed and deleted once', async () => {
  const made = await projects.createProject({ body: { name: 'p' } }, anna())
  expect(await countOf('projects')).toBe(1)
  expect(made).toEqual(await projects.getProject({ id: made.id }, anna()))

  const { id } = made
  const changed = await projects.updateProject({ id, body: { name: 'q' } }, anna())
  expect(changed).toMatchObject({ id, name: 'q' })
  await projects.deleteProject({ id }, anna())
  expect(await countOf('projects')).toBe(0)
  expect(await typesOf()).toEqual(['create:project', 'update:project', 'delete:project'])
})

test('a task and its labels are created, changed and deleted once', async () => {
  const body = { name: 't', labels: [{ name: 'a' }, { name: 'b' }] }
  const made = await tasks.createTask({ body }, anna())
  const { id } = made
  const [a, b] = made.labels
  await takeEvents()
  const renamed = await labels.updateLabel({ id: a?.id ?? 0, body: { name: 'c' } }, anna())
  expect(renamed).toMatchObject({ id: a?.id, name: 'c' })
  await labels.deleteLabel({ id: b?.id ?? 0 }, anna())
  expect(await countOf('labels')).toBe(1)
  const once = ['update:task', 'labels.changed']
  expect(await typesOf()).toEqual([...once, ...once])

  await tasks.updateTask({ id, body: { name: 'u' } }, anna())
  await tasks.deleteTask({ id }, anna())
  expect(await countOf('tasks')).toBe(0)
  expect(await typesOf()).toEqual(['update:task', 'delete:task'])
})

test('a job is changed once', async () => {
  const { id } = await tasks.createTask({ body: { name: 't', labels: [{ name: 'a' }] } }, anna())
  const annaHere = { id: user.id, username: user.username, call: anna() }
  await attachFrames(over('in-process'), id, 2, annaHere)
  const [job] = (await jobs.listJobs({ task_id: id }, anna())).results
  await takeEvents()
  const body = { state: 'in progress' as const }
  expect(await jobs.updateJob({ id: job?.id ?? 0, body }, anna())).toMatchObject(body)
  expect((await typesOf()).filter((type) => type === 'update:job')).toHaveLength(1)
})

test('ground truth is created, changed and deleted once', async () => {
  const { id } = await tasks.createTask({ body: { name: 't' } }, anna())
  const annaHere = { id: user.id, username: user.username, call: anna() }
  await attachFrames(over('in-process'), id, 2, annaHere)
  await takeEvents()
  const chosen = { frame_selection_method: 'random_uniform', frame_count: 1 } as const
  const body = { type: 'ground_truth', task_id: id, ...chosen } as const
  const made = await jobs.createJob({ body }, anna())
  expect(made).toEqual(await jobs.getJob({ id: made.id }, anna()))
  expect(await typesOf()).toEqual(['create:job', 'update:task'])

  const { validation_frames } = await tasks.getTaskValidationLayout({ id }, anna())
  const disabled = { disabled_frames: validation_frames }
  const layout = await tasks.updateTaskValidationLayout({ id, body: disabled }, anna())
  expect(layout).toMatchObject(disabled)
  expect(await typesOf()).toEqual(['update:job', 'update:task'])
  await jobs.deleteJob({ id: made.id }, anna())
  expect(await typesOf()).toEqual(['delete:job', 'update:task'])
})

test('an access token is created once, and the returned value works', async () => {
  const made = await identity.createAccessToken({ body: { name: 'n', read_only: false } }, anna())
  expect(await countOf('access_tokens')).toBe(1)
  const authorization = `Bearer ${made.value}`
  const found = await identity.authenticate({ authorization, address: '' }, callAs(null))
  expect(found.principal).toMatchObject({ user_id: user.id, token: { id: made.id } })

  const { id } = made
  expect(await identity.updateAccessToken({ id, body: { name: 'm' } }, anna())).toMatchObject({
    id,
    name: 'm',
  })
  await identity.deleteAccessToken({ id }, anna())
  await expect(identity.getAccessToken({ id }, anna())).rejects.toMatchObject({ kind: 'not_found' })
})

test('a repeated sign-in creates one token and one session that work, and stores neither in a response', async () => {
  const { key, session } = await identity.signIn(
    { body: { username: 'anna', password } },
    callAs(null),
  )
  for (const table of ['auth_tokens', 'sessions'] as const) expect(await countOf(table)).toBe(1)
  for (const way of [{ authorization: `Token ${key}` }, { session }]) {
    const found = await identity.authenticate({ ...way, address: '' }, callAs(null))
    expect(found.principal.user_id).toBe(user.id)
  }

  const kept = await db.selectFrom('applied_calls').select('response').execute()
  expect(kept.length).toBeGreaterThan(0)
  for (const { response } of kept) {
    expect(String(response)).not.toContain(key)
    expect(String(response)).not.toContain(session)
  }
})

test('a user registers once, and the returned key works', async () => {
  const chosen = 'Blue-Kettle-42'
  const body = { username: 'newcomer', password1: chosen, password2: chosen }
  const { key } = await identity.register({ body }, callAs(null))
  const found = await identity.authenticate(
    { authorization: `Token ${key}`, address: '' },
    callAs(null),
  )
  expect(found.principal.username).toBe('newcomer')
})

test('a password is changed once, although the old one is wrong in the repetition', async () => {
  const body = {
    old_password: password,
    new_password1: 'Red-Kettle-43',
    new_password2: 'Red-Kettle-43',
  }
  const saved = { detail: 'New password has been saved.' }
  expect(await identity.changePassword({ body }, anna())).toEqual(saved)
})

test('an account is deleted once', async () => {
  const chosen = 'Blue-Kettle-42'
  const body = { username: 'leaver', password1: chosen, password2: chosen }
  const { key } = await identity.register({ body }, callAs(null))
  const { principal } = await identity.authenticate(
    { authorization: `Token ${key}`, address: '' },
    callAs(null),
  )
  const id = principal.user_id
  await identity.deleteUser({ id }, callAs({ user_id: id }))
})
