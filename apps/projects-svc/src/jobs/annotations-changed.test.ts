import { randomUUID } from 'node:crypto'
import { type AnnotationsChange, annotationsChanged } from '@reticle/contracts/events/annotations'
import { markReceived } from '@reticle/kit/outbox/inbox'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { eventOf } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventHandler, group } from '../consumer.ts'
import { lockTask } from '../tasks/repo.ts'
import { attachFrames, testWorkspace } from '../testing/workspace.ts'

/**
 * annotations-svc calls `annotationsChanged` and publishes the event of the same id, in any order. `consumer.test.ts`
 * tests the effects that do not depend on the order.
 */

const { db, addUser, over, takeEvents } = await testWorkspace()
const anna = await addUser()
const services = over('in-process')
const { tasks, jobs } = services
const handle = eventHandler({ autoInProgress: true })

async function addTask(size = 1) {
  const body = { name: 't', segment_size: 1 }
  const { id: task_id } = await tasks.createTask({ body }, anna.call)
  await attachFrames(services, task_id, size, anna)
  await takeEvents()
  return { task_id, ids: (await listJobs(task_id)).map(({ id }) => id) }
}
const listJobs = async (task_id: number) =>
  (await jobs.listJobs({ task_id, sort: 'id' }, anna.call)).results

/** Builds an event of one shape created in each of the jobs. */
function newEvent(
  { task_id, ids }: { task_id: number; ids: number[] },
  given: Partial<AnnotationsChange> = {},
) {
  const counts = { revision: 1, tags: 0, shapes: 1, tracks: 0, is_annotated: true }
  const changes = ids.map((job_id) => ({ job_id, ...counts }))
  const change: AnnotationsChange = { task_id, action: 'create', jobs: changes, ...given }
  return { event_id: randomUUID(), change }
}
type Event = ReturnType<typeof newEvent>

const call = (body: Event) => tasks.annotationsChanged({ body }, anna.call)
/** Consumes the event as a bus does: once for each id. */
const consume = ({ event_id, change }: Event) =>
  db.transaction().execute(async (tx) => {
    if (!(await markReceived(tx, group, event_id))) return
    await handle(tx, eventOf(annotationsChanged, change, { id: event_id }))
  })

/** Returns the dates of the task and its jobs, and the states of the jobs. */
async function seen({ task_id }: { task_id: number }) {
  const task = await tasks.getTask({ id: task_id }, anna.call)
  const rows = (await listJobs(task_id)).map(({ state, updated_date }) => ({ state, updated_date }))
  return { task: task.updated_date, jobs: rows }
}
const eventsSoFar = async () =>
  (await takeEvents()).map(({ type, data }) => {
    const { job, task, before_update } = Object(data)
    const { state, updated_date } = job ?? task
    return { type, ...(job && { state }), updated_date, before_update }
  })
const countTouches = async () =>
  (await db.selectFrom('annotation_touches').select('event_id').execute()).length

/** Returns the events of the first change of a task with one job, from the values before and after it. */
const firstEvents = (before: Awaited<ReturnType<typeof seen>>, now: typeof before) => [
  {
    type: 'update:job',
    ...now.jobs[0],
    before_update: before.jobs[0],
  },
  { type: 'update:task', updated_date: now.task, before_update: { updated_date: before.task } },
]

test('the call moves dates and states with one statement and emits nothing', async () => {
  const task = await addTask(3)
  const before = await seen(task)
  const { db: watched, statements } = countStatements(db)
  const body = newEvent({ ...task, ids: task.ids.slice(0, 2) })
  await over('in-process', watched).tasks.annotationsChanged({ body }, anna.call)
  expect(statements()).toBe(1)
  const now = await seen(task)
  expect(now.task > before.task).toBe(true)
  expect(now.jobs.map(({ state }) => state)).toEqual(['in progress', 'in progress', 'new'])
  expect(
    now.jobs.map((job, at) => job.updated_date > (before.jobs[at]?.updated_date ?? '')),
  ).toEqual([true, true, false])
  expect(await takeEvents()).toEqual([])
  await consume(body)
  await takeEvents()
})

test('the consumer emits the changes of the call and changes nothing again', async () => {
  const task = await addTask()
  const before = await seen(task)
  const event = newEvent(task)
  await call(event)
  const now = await seen(task)
  await consume(event)
  expect(await seen(task)).toEqual(now)
  expect(await eventsSoFar()).toEqual(firstEvents(before, now))
  expect(await countTouches()).toBe(0)
})

test.each([
  ['before the call', [consume, call]],
  ['without a call', [consume]],
  ['before two calls', [consume, call, call]],
])('the consumer makes all changes %s', async (_, steps) => {
  const task = await addTask()
  const before = await seen(task)
  const event = newEvent(task)
  for (const step of steps) {
    await step(event)
    expect(await countTouches()).toBe(0)
  }
  const now = await seen(task)
  expect(now.jobs[0]?.state).toBe('in progress')
  expect(await eventsSoFar()).toEqual(firstEvents(before, now))
})

test.each([
  ['twice before the consumer', [call, call, consume]],
  ['before and after the consumer', [call, consume, call]],
  ['before a consumer that gets the event twice', [call, consume, consume]],
])('the call %s takes effect once', async (_, steps) => {
  const task = await addTask()
  const before = await seen(task)
  const event = newEvent(task)
  await call(event)
  const now = await seen(task)
  for (const step of steps.slice(1)) await step(event)
  expect(await seen(task)).toEqual(now)
  expect(await eventsSoFar()).toEqual(firstEvents(before, now))
  expect(await countTouches()).toBe(0)
})

test('two calls before the consumer keep the values that each of them changed', async () => {
  const task = await addTask()
  const first = newEvent(task)
  const second = newEvent(task)
  const before = await seen(task)
  await call(first)
  const between = await seen(task)
  await call(second)
  const now = await seen(task)
  await consume(first)
  await consume(second)
  expect(await seen(task)).toEqual(now)
  const [job = { updated_date: '' }] = between.jobs
  expect(await eventsSoFar()).toEqual([
    ...firstEvents(before, now),
    {
      ...{ type: 'update:job', ...now.jobs[0] },
      before_update: { updated_date: job.updated_date },
    },
    {
      ...{ type: 'update:task', updated_date: now.task },
      before_update: { updated_date: between.task },
    },
  ])
})

test.each([
  ['a deletion', { action: 'delete' }],
  ['a change that keeps states', { keeps_state: true }],
] as const)('%s keeps a new job new, with and without the call', async (_, given) => {
  for (const steps of [[call, consume], [consume]]) {
    const task = await addTask()
    const event = newEvent(task, given)
    for (const step of steps) await step(event)
    expect(await seen(task)).toMatchObject({ jobs: [{ state: 'new' }] })
    const [update] = await eventsSoFar()
    expect(Object.keys(update?.before_update)).toEqual(['updated_date'])
  }
})

test('a task deleted between call and consumer leaves no rows and no events', async () => {
  const task = await addTask()
  const event = newEvent(task)
  await call(event)
  expect(await countTouches()).toBe(1)
  await tasks.deleteTask({ id: task.task_id }, anna.call)
  await takeEvents()
  await consume(event)
  await call(newEvent(task))
  expect(await takeEvents()).toEqual([])
  expect(await countTouches()).toBe(0)
})

test('the events of a task that moved between call and consumer name its earlier place', async () => {
  const task = await addTask()
  const event = newEvent(task)
  await call(event)
  const project = await services.projects.createProject({ body: { name: 'p' } }, anna.call)
  await takeEvents()
  await db
    .updateTable('tasks')
    .set({ project_id: project.id })
    .where('id', '=', task.task_id)
    .execute()
  await consume(event)
  const places = (await takeEvents()).map(({ data }) => {
    const { job, task } = Object(data)
    return (job ?? task).project_id
  })
  expect(places).toEqual([null, null])
})

test('a job of another task and a missing job are not changed', async () => {
  const [task, other] = [await addTask(), await addTask()]
  const before = [await seen(task), await seen(other)]
  const event = newEvent({ task_id: task.task_id, ids: [...other.ids, 999_999] })
  await call(event)
  await consume(event)
  expect([await seen(task), await seen(other)]).toEqual(before)
  expect(await takeEvents()).toEqual([])
  expect(await countTouches()).toBe(0)
})

test.each([
  ['the call', [call, consume]],
  ['the consumer', [consume]],
])('%s changes the jobs of a draft without events', async (_, steps) => {
  const draft_id = randomUUID()
  const project = await services.projects.createProject({ body: { name: 'p' } }, anna.call)
  const body = { draft_id, project_id: project.id, labels: [] }
  await tasks.openDraft({ body }, anna.call)
  const named = { draft_id, name: 't', subset: '' }
  const { task_id } = await tasks.addDraftTask(named, anna.call)
  await attachFrames(services, task_id, 1, anna)
  await takeEvents()
  const rowsOf = () => db.selectFrom('jobs').selectAll().where('task_id', '=', task_id).execute()
  const before = await rowsOf()
  const event = newEvent({ task_id, ids: before.map(({ id }) => id) })
  const [first, ...others] = steps
  await first?.(event)
  const now = await rowsOf()
  expect(now).toMatchObject([{ state: 'in progress' }])
  for (const step of others) await step(event)
  expect(await rowsOf()).toEqual(now)
  expect(await takeEvents()).toEqual([])
  expect(await countTouches()).toBe(0)
})

const waiting = sql`
  select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%annotation_touches%'`
const untilItWaits = () =>
  expect.poll(async () => (await waiting.execute(db)).rows.length, { timeout: 60_000 }).toBe(1)

test('a call that waits for the consumer of its event changes nothing afterwards', async () => {
  const task = await addTask()
  const before = await seen(task)
  const event = newEvent(task)
  const { called } = await db.transaction().execute(async (tx) => {
    await markReceived(tx, group, event.event_id)
    await handle(tx, eventOf(annotationsChanged, event.change, { id: event.event_id }))
    const called = call(event)
    await untilItWaits()
    return { called }
  })
  const now = await seen(task)
  await called
  expect(await seen(task)).toEqual(now)
  expect(await eventsSoFar()).toEqual(firstEvents(before, now))
  expect(await countTouches()).toBe(0)
})

test('a consumer that waits for the deletion of the task finishes after it', async () => {
  const task = await addTask()
  const event = newEvent(task)
  await call(event)
  const { consumed } = await db.transaction().execute(async (tx) => {
    await lockTask(tx, task.task_id)
    const consumed = consume(event)
    await untilItWaits()
    await sql`delete from tasks where id = ${task.task_id}`.execute(tx)
    return { consumed }
  })
  await consumed
  expect(await takeEvents()).toEqual([])
  expect(await countTouches()).toBe(0)
})

test('a call does not wait for the consumer of an earlier event', async () => {
  const task = await addTask()
  const first = newEvent(task)
  const second = newEvent(task)
  await call(first)
  await db.transaction().execute(async (tx) => {
    await markReceived(tx, group, first.event_id)
    await handle(tx, eventOf(annotationsChanged, first.change, { id: first.event_id }))
    await call(second)
  })
  expect(await countTouches()).toBe(1)
  await consume(second)
  expect((await eventsSoFar()).map(({ type }) => type)).toEqual([
    ...['update:job', 'update:task'],
    ...['update:job', 'update:task'],
  ])
})

test('a call that waits for another change of the task takes effect after it', async () => {
  const task = await addTask()
  const event = newEvent(task)
  const { called } = await db.transaction().execute(async (tx) => {
    await sql`update tasks set name = 'other' where id = ${task.task_id}`.execute(tx)
    const called = call(event)
    await untilItWaits()
    return { called }
  })
  await called
  const now = await seen(task)
  expect(now.jobs[0]?.state).toBe('in progress')
  expect(await countTouches()).toBe(1)
  await consume(event)
  expect(await seen(task)).toEqual(now)
})

test('concurrent calls and consumers of many events have each effect once and leave no rows', async () => {
  const task = await addTask(4)
  const events = Array.from({ length: 24 }, (_, at) =>
    newEvent({ ...task, ids: at % 2 ? task.ids : [...task.ids].reverse() }),
  )
  await Promise.all(
    events.flatMap((event, at) =>
      at % 3 ? [call(event), consume(event)] : [consume(event), call(event)],
    ),
  )
  expect(await countTouches()).toBe(0)
  const types = (await takeEvents()).map(({ type }) => type)
  expect(types.filter((type) => type === 'update:task')).toHaveLength(24)
  expect(types.filter((type) => type === 'update:job')).toHaveLength(96)
})

test('a consumer of event batches does not deadlock with calls of later events', async () => {
  const task = await addTask(2)
  const events = Array.from({ length: 12 }, () => newEvent(task))
  const batch = db.transaction().execute(async (tx) => {
    for (const { event_id, change } of events) {
      await markReceived(tx, group, event_id)
      await handle(tx, eventOf(annotationsChanged, change, { id: event_id }))
    }
  })
  await Promise.all([batch, ...events.map(call)])
  expect(await countTouches()).toBe(0)
  const types = (await takeEvents()).map(({ type }) => type)
  expect(types.filter((type) => type === 'update:task')).toHaveLength(12)
})

test('the consumer of a change of three jobs needs ten statements', async () => {
  const task = await addTask(3)
  const event = newEvent(task)
  await call(event)
  const { db: watched, statements } = countStatements(db)
  await watched
    .transaction()
    .execute((tx) => handle(tx, eventOf(annotationsChanged, event.change, { id: event.event_id })))
  expect(statements()).toBeLessThanOrEqual(10)
})
