import { organizationCreated, organizationUpdated } from '@reticle/contracts/events/organizations'
import { requestFinished } from '@reticle/contracts/events/requests'
import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import {
  jobRecord,
  labelOf,
  organizationRecord,
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
import { matchEvents } from '../deliveries/match.ts'
import { addOrganizationWebhook, addWebhook } from '../testing/world.ts'
import { buildCvatPayload } from './cvat-payload.ts'

/** Payloads of webhooks whose dialect is `cvat` (`docs/spec/dialect.md`). */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:01Z')
const handle = matchEvents({ clock, base: 'https://host/api', onMessages: () => undefined })
const mount = 'https://host/as/cvat/api'

beforeEach(async () => {
  await sql`truncate webhooks, projects, organizations cascade`.execute(db)
})

const user = { id: 3, username: 'anna', first_name: 'Anna', last_name: 'Lind' }
const actor = { ...user, email: 'anna@example.org' }
const hear = (event: BusEvent) => deliverEvent(db, handle, event)

/** What each webhook got, in the order of their ids. */
async function messages() {
  const rows = await db.selectFrom('webhook_messages').selectAll().orderBy('webhook_id').execute()
  return rows.map(({ body, ...row }) => ({ ...row, payload: JSON.parse(body.toString()) }))
}

const addCvatWebhook = (given = {}) => addWebhook(db, { dialect: 'cvat', ...given })
const updated_date = '2026-03-01T09:59:00.000Z'

/** The only payload, after an update of a task. */
async function taskUpdateOf(given: object, before_update: Record<string, unknown>) {
  await addCvatWebhook()
  await hear(eventOf(taskUpdated, { task: taskRecord(given), before_update }, { actor }))
  const [message] = await messages()
  return { changed_fields: message?.changed_fields, ...message?.payload }
}

test('an update has the fields of CVAT and no others, with links of the mount', async () => {
  const webhook_id = await addCvatWebhook()
  const task = taskRecord({ id: 12, revision: 4, labels: [labelOf()] })
  const before_update = { name: 'Old', updated_date, status: 'validation' as const }
  await hear(eventOf(taskUpdated, { task, before_update }, { actor }))

  const [message] = await messages()
  const { media_type, project_name, revision, ...known } = task
  expect(message?.payload).toEqual({
    event: 'update:task',
    webhook_id,
    task: {
      ...known,
      url: `${mount}/tasks/12`,
      labels: { url: `${mount}/labels?task_id=12` },
      owner: { ...task.owner, url: `${mount}/users/3` },
      jobs: { ...task.jobs, url: `${mount}/jobs?task_id=12` },
    },
    before_update,
    sender: { url: `${mount}/users/3`, ...user },
  })
  expect(message?.changed_fields.split(',').sort()).toEqual(['name', 'status', 'updated_date'])
})

test('webhooks of both dialects get one event, each in its own form, with numbers of their own', async () => {
  const service = await addWebhook(db)
  const cvat = await addCvatWebhook()
  const more = await addCvatWebhook()
  const [task, before_update] = [taskRecord({ status: 'new' }), { updated_date }]
  await hear(eventOf(taskUpdated, { task, before_update }, { actor }))

  const sent = await messages()
  expect(sent.map(({ webhook_id, sequence }) => [webhook_id, sequence])).toEqual(
    [service, cvat, more].map((id) => [id, 1]),
  )
  expect(sent.map(({ payload }) => payload.webhook_id)).toEqual([service, cvat, more])
  expect(sent.map(({ payload }) => payload.task.status)).toEqual([
    'new',
    'annotation',
    'annotation',
  ])
  expect(sent.map(({ payload }) => payload.task.url)).toEqual([
    'https://host/api/tasks/1',
    `${mount}/tasks/1`,
    `${mount}/tasks/1`,
  ])
  expect(sent.map(({ payload }) => 'changes' in payload)).toEqual([true, false, false])
})

describe('before_update', () => {
  test('has the old values as the dialect shows them', async () => {
    const before_update = { status: 'new', data: null, size: 0, updated_date }
    const payload = await taskUpdateOf({ status: 'validation', data: 1, size: 10 }, before_update)
    expect(payload.before_update).toEqual({ ...before_update, status: 'annotation' })
  })

  test('leaves out fields that are equal in the dialect', async () => {
    const payload = await taskUpdateOf({ status: 'annotation' }, { status: 'new', updated_date })
    expect(payload.before_update).toEqual({ updated_date })
    expect(payload.changed_fields).toBe('updated_date')
  })

  test('is absent where only fields have changed that the dialect does not have', async () => {
    const payload = await taskUpdateOf({}, { media_type: 'point_cloud', project_name: 'Old' })
    expect(payload).not.toHaveProperty('before_update')
    expect(payload.changed_fields).toBe('')
  })

  test('has derived fields of a video', async () => {
    const video = { mode: 'interpolation', size: 60, segment_size: 60, overlap: 0 }
    const before = { mode: 'annotation', size: 0, segment_size: 0 }
    const payload = await taskUpdateOf(
      { ...video, data_original_chunk_type: 'imageset' },
      { ...before, data_original_chunk_type: 'imageset' },
    )
    const old = { ...before, overlap: 0, data_original_chunk_type: 'imageset' }
    expect(payload.before_update).toEqual(old)
    expect(payload.task).toMatchObject({ overlap: 5, data_original_chunk_type: 'video' })
  })
})

test('a change of annotations has no counts', async () => {
  await addCvatWebhook()
  const annotations = {
    action: 'create' as const,
    tags: 0,
    shapes: 1,
    tracks: 0,
    revision: 4,
    ids: { tags: [], shapes: [9], tracks: [] },
  }
  const job = jobRecord({ project_id: 7 })
  await hear(eventOf(jobUpdated, { job, before_update: { updated_date }, annotations }, { actor }))
  const [message] = await messages()
  const keys = ['before_update', 'event', 'job', 'sender', 'webhook_id']
  expect(Object.keys(message?.payload).sort()).toEqual(keys)
  const ofService = ['media_type', 'project_name', 'replicas_count', 'task_name']
  for (const field of ofService) expect(message?.payload.job).not.toHaveProperty(field)
})

test('the end of a request has the record of the mount, without a sender', async () => {
  await addCvatWebhook({ events: ['completed:request[export:annotations]'] })
  const { operation, ...request } = requestRecord()
  const done = { ...request, operation: { ...operation, format: 'Service 1.1', project_id: 7 } }
  const data = { request: done, request_uuid: 'u', tenant: 'user:3' }
  await hear(eventOf(requestFinished, data, { actor }))
  const [message] = await messages()
  expect(message?.payload.event).toBe('completed:request[export:annotations]')
  expect(message?.payload.request).toMatchObject({ operation: { format: 'CVAT 1.1' } })
  expect(message?.payload.request).not.toHaveProperty('queue_position')
  expect(message?.payload).not.toHaveProperty('sender')
})

test('a record that is the same on the mount is sent whole', async () => {
  const events = ['update:organization']
  await addOrganizationWebhook(db, 2, { dialect: 'cvat', events })
  const organization = organizationRecord({ id: 2, name: 'New' })
  await hear(eventOf(organizationCreated, { organization }, { organization_id: 2 }))
  const place = { organization_id: 2, actor }
  await hear(eventOf(organizationUpdated, { organization, before_update: { name: 'Old' } }, place))
  const [message] = await messages()
  expect(message?.payload).toMatchObject({
    event: 'update:organization',
    organization: { id: 2, name: 'New', slug: organization.slug },
    before_update: { name: 'Old' },
  })
})

test('a record becomes text once, however many webhooks get it', () => {
  let times = 0
  const owner = {
    toJSON: () => {
      times += 1
      return null
    },
  }
  const { bodyFor } = buildCvatPayload(
    {
      event: 'create:task',
      event_id: 'e',
      key: 'task:12',
      resource: 'task',
      actor: null,
      occurred_date: '2026-03-01T10:00:00.000Z',
      record: { id: 12, owner },
    },
    mount,
  )
  const ids = [1, 2, 3].map((webhook_id) => {
    const body = bodyFor({ webhook_id, delivery_id: `d${webhook_id}`, sequence: 1 })
    return JSON.parse(body.toString()).webhook_id
  })
  expect(ids).toEqual([1, 2, 3])
  expect(times).toBe(1)
})
