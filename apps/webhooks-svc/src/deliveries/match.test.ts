import {
  commentCreated,
  commentDeleted,
  commentUpdated,
  issueCreated,
  issueDeleted,
  issueUpdated,
} from '@reticle/contracts/events/issues'
import { projectCreated, projectDeleted, projectUpdated } from '@reticle/contracts/events/projects'
import { requestFinished } from '@reticle/contracts/events/requests'
import { jobUpdated, taskCreated, taskDeleted, taskUpdated } from '@reticle/contracts/events/tasks'
import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import {
  commentRecord,
  issueRecord,
  jobRecord,
  projectRecord,
  requestRecord,
  taskRecord,
} from '@reticle/contracts/testing/records'
import type { BusEvent } from '@reticle/kit/bus/bus'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { deliverEvent, eventOf } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook } from '../testing/world.ts'
import { matchEvents } from './match.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:01Z')
let emitted = 0
const onMessages = () => {
  emitted += 1
}
const handle = matchEvents({ clock, base: 'https://host/api', onMessages })

beforeEach(async () => {
  await sql`truncate webhooks, projects cascade`.execute(db)
  emitted = 0
})

const named = { first_name: 'Anna', last_name: 'Lind', email: 'anna@example.org' }
const anna = { id: 3, username: 'anna', ...named }
test('the handler accepts every event that webhooks can subscribe to', () => {
  const types = Object.keys(webhookEvents).map((name) =>
    name.startsWith('completed:') ? 'request.finished' : name,
  )
  expect(types.filter((type) => !handle.isFor?.(type))).toEqual([])
})

const hear = (event: BusEvent) => deliverEvent(db, handle, event)
const messages = () => db.selectFrom('webhook_messages').selectAll().orderBy('id').execute()
async function payloads() {
  return (await messages()).map(({ body }) => JSON.parse(body.toString()))
}
const taskUpdate = (given = {}) =>
  eventOf(taskUpdated, { task: taskRecord(given), before_update: { name: 'Batch' } })

describe('events older than the webhook', () => {
  const occurred_date = '2026-03-01T10:00:00.000Z'
  test.each([
    ['a second later', '2026-03-01T10:00:01Z', 0],
    ['a millisecond later', '2026-03-01T10:00:00.001Z', 0],
    ['at that moment', '2026-03-01T10:00:00Z', 2],
    ['before', '2026-03-01T09:59:59.999Z', 2],
  ])('a webhook created %s gets only the events that are not older', async (_, created, count) => {
    await addWebhook(db, { created_date: new Date(created) })
    const task = taskRecord()
    await hear(eventOf(taskCreated, { task }, { occurred_date }))
    await hear(eventOf(taskDeleted, { task, job_ids: [31] }, { occurred_date }))
    expect(await messages()).toHaveLength(count)
  })

  test('the older of two webhooks gets the event, and sequence numbers have no gap', async () => {
    const older = await addWebhook(db)
    await addWebhook(db, { created_date: new Date('2026-03-01T10:00:01Z') })
    await hear(eventOf(taskCreated, { task: taskRecord() }, { occurred_date }))
    await hear(eventOf(projectUpdated, { project: projectRecord(), before_update: {} }))
    expect((await messages()).map(({ webhook_id }) => webhook_id)).toEqual([older, older])
    expect((await messages()).map(({ sequence }) => sequence)).toEqual([1, 2])
  })
})

describe('payloads', () => {
  test('the payload of an update has the record, the old values, the changes and the sender', async () => {
    const webhook_id = await addWebhook(db)
    const before_update = { assignee: null, updated_date: '2026-03-01T09:59:00.000Z' }
    const assignee = { url: '/users/4', id: 4, username: 'bo', first_name: '', last_name: '' }
    const task = taskRecord({ id: 12, assignee })
    await hear(eventOf(taskUpdated, { task, before_update }, { actor: anna }))

    const [stored] = await messages()
    const [payload] = await payloads()
    const absolute = { ...assignee, url: 'https://host/api/users/4' }
    expect(payload).toEqual({
      event: 'update:task',
      webhook_id,
      delivery_id: stored?.delivery_id,
      webhook_sequence: 1,
      created_date: '2026-03-01T10:00:00.000Z',
      task: {
        ...task,
        assignee: absolute,
        url: 'https://host/api/tasks/12',
        owner: { ...task.owner, url: 'https://host/api/users/3' },
        jobs: { ...task.jobs, url: 'https://host/api/jobs?task_id=12' },
      },
      before_update,
      changes: {
        assignee: { from: null, to: absolute },
        updated_date: { from: '2026-03-01T09:59:00.000Z', to: '2026-03-01T10:00:00.000Z' },
      },
      sender: { ...anna, url: 'https://host/api/users/3' },
    })
    expect(stored).toMatchObject({ changed_fields: 'assignee,updated_date', key: 'task:12' })
  })

  test('the payload of an annotation change has the counts of changed annotations', async () => {
    await addWebhook(db)
    const annotations = { action: 'create' as const, tags: 0, shapes: 1, tracks: 0, revision: 58 }
    await hear(
      eventOf(jobUpdated, { job: jobRecord(), before_update: { state: 'new' }, annotations }),
    )
    expect((await payloads())[0]).toMatchObject({ event: 'update:job', annotations })
  })

  test('the payload of a creation or deletion has no old values and no internal fields', async () => {
    await addWebhook(db)
    await hear(eventOf(taskCreated, { task: taskRecord() }, { actor: anna }))
    await hear(eventOf(taskDeleted, { task: taskRecord(), job_ids: [31] }, { actor: anna }))
    const envelope = ['created_date', 'delivery_id', 'event', 'sender', 'task']
    const keys = [...envelope, 'webhook_id', 'webhook_sequence']
    expect((await payloads()).map((one) => Object.keys(one).sort())).toEqual([keys, keys])
  })

  test('the payload of an event without an actor has no sender', async () => {
    await addWebhook(db)
    await hear(taskUpdate())
    expect((await payloads())[0]).not.toHaveProperty('sender')
  })
})

describe('matching of webhooks (T-WH-9)', () => {
  test('every subscribed webhook gets a message with its own sequence number', async () => {
    const [a, b] = [await addWebhook(db), await addWebhook(db)]
    await hear(taskUpdate())
    await db.updateTable('webhooks').set({ is_active: false }).where('id', '=', b).execute()
    await hear(taskUpdate())
    const rows = (await messages()).map(({ webhook_id, sequence }) => [webhook_id, sequence])
    expect(rows).toEqual([
      [a, 1],
      [b, 1],
      [a, 2],
    ])
    expect(emitted).toBe(2)
  })

  test.each([
    ['one that is switched off', { is_active: false }],
    ['one that wants other events', { events: ['create:task'] }],
    ['one of another project', { project_id: 8 }],
  ])('no message is written for %s', async (_title, given) => {
    await addWebhook(db, given)
    await hear(taskUpdate())
    expect(await messages()).toEqual([])
    expect(emitted).toBe(0)
  })

  test('no payload is built when no webhook subscribes to the event', async () => {
    await addWebhook(db, { events: ['create:task'] })
    const deps = {
      clock,
      onMessages,
      get base(): string {
        throw new Error('a payload is made')
      },
    }
    await deliverEvent(db, matchEvents(deps), taskUpdate())
    expect(await messages()).toEqual([])
  })

  test('project webhooks get no event about a task without a project', async () => {
    await addWebhook(db)
    await hear(taskUpdate({ project_id: null }))
    expect(await messages()).toEqual([])
  })

  test('a repeated event adds no second message, and sequence numbers have no gap', async () => {
    await addWebhook(db)
    const event = taskUpdate()
    await hear(event)
    await hear(event)
    await hear(taskUpdate())
    expect((await messages()).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('events of concurrent consumers get sequence numbers without gaps', async () => {
    await Promise.all([addWebhook(db), addWebhook(db)])
    await Promise.all(Array.from({ length: 20 }, (_, id) => hear(taskUpdate({ id: id + 1 }))))
    const rows = await messages()
    const [first] = rows
    const own = rows.filter(({ webhook_id }) => webhook_id === first?.webhook_id)
    const expected = Array.from({ length: 20 }, (_, at) => at + 1)
    expect(own.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(expected)
  })
})

describe('events of issues and comments', () => {
  const events = ['create', 'update', 'delete'].flatMap((verb) => [
    `${verb}:comment`,
    `${verb}:issue`,
  ])
  const place = { job_id: 1, task_id: 1, project_id: 7, organization_id: null }

  test('payloads have the record and the old values, but no internal fields', async () => {
    await addWebhook(db, { events })
    const issue = issueRecord({ resolved: true })
    const before_update = { resolved: false }
    await hear(eventOf(issueUpdated, { issue, before_update, ...place }))
    const [payload] = await payloads()
    expect(payload).toMatchObject({
      event: 'update:issue',
      issue: {
        ...issue,
        owner: { ...issue.owner, url: 'https://host/api/users/3' },
        comments: { count: 1, url: 'https://host/api/comments?issue_id=5' },
      },
      before_update,
      changes: { resolved: { from: false, to: true } },
    })
    expect(payload).not.toHaveProperty('task_id')
    expect(await messages()).toMatchObject([{ key: 'task:1', changed_fields: 'resolved' }])
  })

  test('a subscribed webhook gets each event exactly once', async () => {
    await addWebhook(db, { events })
    const [issue, comment] = [issueRecord(), commentRecord()]
    await hear(eventOf(issueCreated, { issue, ...place }))
    await hear(eventOf(commentCreated, { comment, ...place }))
    await hear(eventOf(commentUpdated, { comment, before_update: { message: 'old' }, ...place }))
    await hear(eventOf(commentDeleted, { comment, ...place }))
    await hear(eventOf(issueDeleted, { issue, ...place }))
    expect(await payloads()).toMatchObject([
      { event: 'create:issue', issue: { id: 5, job: 31 } },
      { event: 'create:comment', comment: { id: 6, issue: 5 } },
      { event: 'update:comment', changes: { message: { from: 'old', to: comment.message } } },
      { event: 'delete:comment', comment: { id: 6 } },
      { event: 'delete:issue', issue: { id: 5 } },
    ])
  })

  test('project webhooks get no event about issues of a task without a project', async () => {
    await addWebhook(db, { events })
    await hear(eventOf(issueCreated, { issue: issueRecord(), ...place, project_id: null }))
    expect(await messages()).toEqual([])
  })
})

describe('finished requests', () => {
  const ended = (type: string, status: 'finished' | 'failed' = 'finished') => {
    const { operation } = requestRecord()
    const place = { project_id: 7, task_id: 1, job_id: null, org_id: null }
    const request = requestRecord({ status, operation: { ...operation, ...place, type } })
    return hear(eventOf(requestFinished, { tenant: 'user:3', request_uuid: 'x', request }))
  }
  const completed = Object.keys(webhookEvents).filter((name) => name.startsWith('completed:'))

  test.each(completed)('%s has the request and no sender', async (event) => {
    await addWebhook(db, { events: [event] })
    await ended(event.slice('completed:request['.length, -1), 'failed')
    const [payload] = await payloads()
    expect(payload).toMatchObject({ event, request: { status: 'failed' } })
    expect(payload).not.toHaveProperty('sender')
  })

  test('requests of other types produce no message', async () => {
    await addWebhook(db, { events: completed })
    for (const type of ['export:events', 'import:backup']) await ended(type)
    expect(await messages()).toEqual([])
  })
})

describe('events of projects', () => {
  const known = () => db.selectFrom('projects').selectAll().execute()

  test('events update the stored owner and organization of a project', async () => {
    await hear(eventOf(projectCreated, { project: projectRecord() }))
    expect(await known()).toEqual([
      { id: 7, owner_id: 3, organization_id: null, is_deleted: false },
    ])
    const moved = projectRecord({ owner: null, organization: 5, organization_id: 5 })
    await hear(eventOf(projectUpdated, { project: moved, before_update: { organization: null } }))
    expect(await known()).toMatchObject([{ owner_id: null, organization_id: 5 }])
  })

  test('the payload of an update has the record under the key `project`', async () => {
    await addWebhook(db)
    const data = { project: projectRecord({ name: 'Lorries' }), before_update: { name: 'Trucks' } }
    await hear(eventOf(projectUpdated, data))
    expect(await payloads()).toMatchObject([
      {
        event: 'update:project',
        project: { id: 7, name: 'Lorries' },
        before_update: { name: 'Trucks' },
      },
    ])
  })

  test('a deletion is sent to the webhooks of the project before they are ended', async () => {
    const id = await addWebhook(db)
    await hear(eventOf(projectDeleted, { project: projectRecord(), task_ids: [1] }))
    expect(await payloads()).toMatchObject([{ event: 'delete:project', webhook_id: id }])
    const row = await db.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow()
    expect(row.ended_date).toEqual(clock.now())
    expect(await known()).toMatchObject([{ id: 7, is_deleted: true }])
  })

  test('deletions of tasks are sent even when they arrive after the deletion of their project', async () => {
    await addWebhook(db)
    await hear(eventOf(projectDeleted, { project: projectRecord(), task_ids: [1] }))
    await hear(eventOf(taskDeleted, { task: taskRecord(), job_ids: [] }))
    expect((await payloads()).map(({ event }) => event)).toEqual(['delete:project', 'delete:task'])
  })
})
