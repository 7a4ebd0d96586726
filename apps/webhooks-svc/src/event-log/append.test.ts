import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { createEventType } from '@reticle/contracts/events/define'
import { commentCreated, issueCreated } from '@reticle/contracts/events/issues'
import { projectCreated, projectDeleted } from '@reticle/contracts/events/projects'
import { requestFinished } from '@reticle/contracts/events/requests'
import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import {
  accessTokenCreated,
  loginRejected,
  userDeleted,
  userSignedIn,
  userSignedOut,
  userUpdated,
} from '@reticle/contracts/events/users'
import type { Request } from '@reticle/contracts/rest/requests'
import {
  commentRecord,
  issueRecord,
  jobRecord,
  projectRecord,
  requestRecord,
  taskRecord,
  userRecord,
} from '@reticle/contracts/testing/records'
import { PoisonEvent } from '@reticle/kit/bus/bus'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer, deliverEvent, eventOf } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { consumeEvents } from '../consumer.ts'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook } from '../testing/world.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:01Z')
const handle = consumeEvents({ clock, base: 'https://host/api', onMessages: () => undefined })
const arrives = createDeliverer(db, handle)

beforeEach(async () => {
  await sql`truncate events, webhooks, projects cascade`.execute(db)
})

const named = { first_name: 'Anna', last_name: 'Lind', email: 'anna@example.org' }
const actor = { id: 3, username: 'anna', ...named }
async function logged() {
  const rows = await db.selectFrom('events').selectAll().orderBy('ordinal').execute()
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload ?? 'null') }))
}

describe('events about records', () => {
  test('a creation is one log event with the record, the user and the request', async () => {
    const project = projectRecord({ id: 7 })
    const caller = { address: '10.0.0.9', user_agent: 'cli/1', token_id: 5 }
    const about = { actor, caller, request_id: 'request-1', organization_id: 2 }
    await arrives(projectCreated, { project }, about)
    expect(await logged()).toMatchObject([
      {
        scope: 'create:project',
        source: 'server',
        obj_id: 7,
        project_id: 7,
        timestamp: new Date('2026-03-01T10:00:00.000Z'),
        duration: 0,
        user_id: 3,
        user_name: 'anna',
        user_email: 'anna@example.org',
        org_id: 2,
        access_token_id: 5,
        address: '10.0.0.9',
        payload: { ...project, request: { id: 'request-1', user_agent: 'cli/1' } },
      },
    ])
  })

  test('a deletion is one log event with the last record', async () => {
    await arrives(projectDeleted, { project: projectRecord({ id: 7 }), task_ids: [1] })
    expect(await logged()).toMatchObject([{ scope: 'delete:project', payload: { id: 7 } }])
  })

  test('log events about issues and comments have their project, task and job', async () => {
    const place = { project_id: 7, task_id: 12, job_id: 31 }
    await arrives(issueCreated, { issue: issueRecord({ id: 5 }), ...place, organization_id: null })
    const comment = commentRecord({ id: 6 })
    await arrives(commentCreated, { comment, ...place, organization_id: null })
    const emitted = { obj_id: 6, ...place, payload: { id: 6 } }
    expect(await logged()).toMatchObject([{ obj_id: 5, ...place }, emitted])
  })

  test('an update is one log event per changed field', async () => {
    const assignee = { url: '/users/4', id: 4, username: 'bo', first_name: '', last_name: '' }
    const task = taskRecord({ id: 12, project_id: 7, name: 'new', assignee })
    const before_update = { name: 'old', assignee: null, updated_date: task.updated_date }
    await arrives(taskUpdated, { task, before_update })
    const place = { scope: 'update:task', obj_id: 12, task_id: 12, project_id: 7, job_id: null }
    const rows = await logged()
    expect(rows).toMatchObject([
      { ...place, obj_name: 'name', obj_val: 'new', payload: { old_value: 'old' } },
      { ...place, obj_name: 'assignee', payload: { old_value: null } },
    ])
    expect(JSON.parse(rows[1]?.obj_val ?? '')).toEqual(assignee)
    expect(rows.every(({ payload }) => payload.request.id === 'test')).toBe(true)
  })

  test('a log event about a job has its task and project', async () => {
    const job = jobRecord({ id: 31, task_id: 1, project_id: 7, state: 'completed' })
    await arrives(jobUpdated, { job, before_update: { state: 'new' } })
    expect(await logged()).toMatchObject([
      {
        obj_id: 31,
        job_id: 31,
        task_id: 1,
        project_id: 7,
        obj_name: 'state',
        obj_val: 'completed',
      },
    ])
  })

  test('a change of `updated_date` alone is not logged', async () => {
    const task = taskRecord()
    await arrives(taskUpdated, { task, before_update: { updated_date: task.updated_date } })
    expect(await logged()).toEqual([])
  })

  test('an event about a new resource is logged without code for it', async () => {
    const note = z.object({ id: z.int(), job_id: z.int() })
    const noteCreated = createEventType('create:note', {
      key: () => 'job:31',
      data: z.object({ note }),
    })
    await arrives(noteCreated, { note: { id: 2, job_id: 31 } })
    expect(await logged()).toMatchObject([{ scope: 'create:note', obj_id: 2, job_id: 31 }])
  })

  test('an event without its record is a poison event', async () => {
    const broken = createEventType('create:note', { key: () => 'job:31', data: z.object({}) })
    await expect(arrives(broken, {})).rejects.toThrow(PoisonEvent)
  })
})

test('a repeated event is logged once and still reaches webhooks', async () => {
  await addWebhook(db)
  const event = eventOf(taskUpdated, { task: taskRecord(), before_update: { name: 'old' } })
  for (let times = 0; times < 2; times++) await deliverEvent(db, handle, event)
  expect(await logged()).toHaveLength(1)
  expect(await db.selectFrom('webhook_messages').select('event').execute()).toEqual([
    { event: 'update:task' },
  ])
})

test('the handler skips internal events that are not logged', () => {
  for (const type of ['labels.changed', 'request.queued']) expect(handle.isFor?.(type)).toBe(false)
})

describe('annotation changes', () => {
  const counts = { job_id: 31, revision: 2, tags: 0, shapes: 2, tracks: 0, is_annotated: true }
  const change = { task_id: 1, project_id: 7 }
  const emitted = async () =>
    (await logged()).map(({ scope, count, job_id }) => [scope, count, job_id])

  test('a change is logged by job and kind, with counts and ids', async () => {
    const ids = { tags: [], shapes: [8, 9], tracks: [4] }
    const jobs = [
      { ...counts, tracks: 1, ids },
      { ...counts, job_id: 32, shapes: 300 },
    ]
    await arrives(annotationsChanged, { ...change, action: 'update', jobs }, { actor })
    const place = { project_id: 7, task_id: 1, user_id: 3 }
    expect(await logged()).toMatchObject([
      {
        ...place,
        scope: 'update:shapes',
        job_id: 31,
        count: 2,
        payload: { shapes: [{ id: 8 }, { id: 9 }] },
      },
      { ...place, scope: 'update:tracks', job_id: 31, count: 1, payload: { tracks: [{ id: 4 }] } },
      { ...place, scope: 'update:shapes', job_id: 32, count: 300 },
    ])
  })

  test.each([
    ['create', true, 'create:shapes'],
    ['delete', false, 'delete:shapes'],
    ['import', true, 'create:shapes'],
    ['replace', true, 'create:shapes'],
    ['replace', false, 'delete:shapes'],
  ] as const)(
    'action %s with objects left %s is logged as %s',
    async (action, is_annotated, scope) => {
      await arrives(annotationsChanged, { ...change, action, jobs: [{ ...counts, is_annotated }] })
      expect(await emitted()).toEqual([[scope, 2, 31]])
    },
  )

  test('a replacement is logged as deletions of the old and creations of the new objects', async () => {
    const by_action = { create: { shapes: 2 }, delete: { shapes: 5, tags: 1 } }
    await arrives(annotationsChanged, {
      ...change,
      action: 'replace',
      jobs: [{ ...counts, by_action, ids: { tags: [], shapes: [8, 9], tracks: [] } }],
    })
    expect(await emitted()).toEqual([
      ['delete:tags', 1, 31],
      ['create:shapes', 2, 31],
      ['delete:shapes', 5, 31],
    ])
  })
})

describe('datasets', () => {
  const finished = (type: string, status: Request['status'] = 'finished') => {
    const ids = { project_id: 7, task_id: 1, job_id: null, org_id: null }
    const { operation } = requestRecord()
    const request = requestRecord({ status, operation: { ...operation, ...ids, type } })
    return arrives(requestFinished, { tenant: 'user:3', request_uuid: 'x', request }, { actor })
  }

  test.each([
    ['export:dataset', 'export:dataset', { format: 'COCO 1.0', save_images: true }],
    ['export:annotations', 'export:dataset', { format: 'COCO 1.0', save_images: false }],
    ['import:annotations', 'import:dataset', { format: 'COCO 1.0' }],
  ])('a finished %s is logged as %s', async (type, scope, payload) => {
    await finished(type)
    expect(await logged()).toMatchObject([
      { scope, project_id: 7, task_id: 1, user_id: 3, payload: { ...payload, request: {} } },
    ])
  })

  test('failed requests and requests without a dataset are not logged', async () => {
    await finished('export:dataset', 'failed')
    await finished('create:task')
    await finished('export:events')
    expect(await logged()).toEqual([])
  })
})

describe('users', () => {
  const caller = { address: '10.0.0.9', user_agent: 'browser/1' }
  const request = { id: 'test', user_agent: 'browser/1' }

  test('sign-in and sign-out are log events of the user', async () => {
    await arrives(userSignedIn, { user_id: 3 }, { actor, caller })
    await arrives(userSignedOut, { user_id: 3 }, { actor, caller })
    const who = { obj_id: 3, user_id: 3, user_name: 'anna', address: '10.0.0.9' }
    const rows = await logged()
    expect(rows.map(({ scope }) => scope).sort()).toEqual(['login:user', 'logout:user'])
    for (const row of rows) expect(row).toMatchObject({ ...who, payload: { request } })
  })

  test('a rejected sign-in is a log event without a user, with the attempted name and the reason', async () => {
    const emitted = { username: 'anna', user_id: 3, reason: 'wrong_password' as const }
    await arrives(loginRejected, emitted, { caller })
    expect(await logged()).toMatchObject([
      {
        scope: 'reject:login',
        obj_name: 'username',
        obj_val: 'anna',
        obj_id: 3,
        user_id: null,
        address: '10.0.0.9',
        payload: { reason: 'wrong_password', request },
      },
    ])
  })

  test('wrong passwords within one minute are one log event with their count', async () => {
    const reason = 'wrong_password' as const
    const gathered = { username: 'anna', user_id: 3, reason, count: 99, names: 4 }
    await arrives(loginRejected, gathered, { caller: { address: '10.0.0.9' } })
    expect(await logged()).toMatchObject([
      { scope: 'reject:login', obj_val: 'anna', payload: { reason, count: 99, names: 4 } },
    ])
  })

  test('changes of accounts and access tokens are logged like other records', async () => {
    const user = userRecord({ id: 4, first_name: 'Bo' })
    await arrives(userUpdated, { user, before_update: { first_name: '' } }, { actor })
    await arrives(userDeleted, { user }, { actor })
    const owner = { url: '/users/3', id: 3, username: 'anna', first_name: '', last_name: '' }
    const accesstoken = {
      id: 5,
      name: 'nightly',
      read_only: true,
      expiry_date: null,
      last_used_date: null,
      created_date: '2026-03-01T10:00:00.000Z',
      updated_date: '2026-03-01T10:00:00.000Z',
      dialect: 'service',
      owner,
    }
    await arrives(accessTokenCreated, { accesstoken }, { actor })
    const rows = await logged()
    const ofScope = (scope: string) => rows.find((row) => row.scope === scope)
    expect(ofScope('update:user')).toMatchObject({ obj_id: 4, obj_name: 'first_name', user_id: 3 })
    expect(ofScope('delete:user')).toMatchObject({ obj_id: 4, payload: user })
    expect(ofScope('create:accesstoken')).toMatchObject({ obj_id: 5, payload: accesstoken })
  })
})
