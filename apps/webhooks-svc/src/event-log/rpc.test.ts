import { text } from 'node:stream/consumers'
import { events as table } from '@reticle/contracts/api/events'
import {
  type ClientEvent,
  clientEvents,
  clientScopes,
  type EventFilter,
  eventColumns,
} from '@reticle/contracts/rest/events'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { losingAnswers, overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { insertEvents, type NewEvent } from './repo.ts'
import { eventHandlers } from './rpc.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:00.000Z')
const handlers = eventHandlers({ db, bulk: db, clock })
const anna = callAs(
  { user_id: 3, username: 'anna', email: 'anna@example.org' },
  { address: '10.0.0.9', user_agent: 'console/1', request_id: 'request-1' },
)
const admin = callAs({ user_id: 1, role: 'admin' })

beforeEach(async () => {
  await sql`truncate events`.execute(db)
})

const rows = () =>
  db.selectFrom('events').selectAll().orderBy('timestamp').orderBy('ordinal').execute()
const scopes = async () => (await rows()).map(({ scope }) => scope)
const sentAt = '2026-03-01T09:00:00Z'
const bodyOf = (...events: Partial<ClientEvent>[]) =>
  clientEvents.parse({
    timestamp: sentAt,
    events: events.map((one) => ({ scope: 'debug:info', timestamp: sentAt, ...one })),
  })

const everything: EventFilter = {
  org_id: null,
  project_id: null,
  task_id: null,
  job_id: null,
  user_id: null,
  from: null,
  to: null,
}

let count = 0
/** Inserts a row of the log with anna as the user, unless `given` overrides it. */
async function addEvent(given: Partial<NewEvent> = {}): Promise<void> {
  const row: NewEvent = {
    event_id: '018f0000-0000-7000-8000-000000000000',
    ordinal: count++,
    scope: 'create:task',
    source: 'server',
    timestamp: '2026-03-01T10:00:00.000Z',
    obj_name: null,
    obj_id: null,
    obj_val: null,
    count: null,
    duration: 0,
    project_id: null,
    task_id: null,
    job_id: null,
    user_id: 3,
    user_name: 'anna',
    user_email: 'anna@example.org',
    org_id: null,
    org_slug: null,
    payload: null,
    access_token_id: null,
    address: null,
    ...given,
  }
  await insertEvents(db, [row])
}

describe.each(transports)('over %s', (transport) => {
  const log = overTransport(transport, table, handlers)
  const read = async (filter: Partial<EventFilter> = {}, call = admin) => {
    const { chunks } = await log.readEvents({ ...everything, ...filter }, call)
    return text(chunks)
  }
  const column = async (
    name: (typeof eventColumns)[number],
    filter?: Partial<EventFilter>,
    call = admin,
  ) => {
    const [, ...lines] = (await read(filter, call)).trimEnd().split('\n')
    return lines.map((line) => line.split(',')[eventColumns.indexOf(name)])
  }

  describe('events of clients', () => {
    test('client events are stored and returned with their user and origin', async () => {
      const place = { project_id: 7, task_id: 1, job_id: 31 }
      const emitted = { obj_name: 'rectangle', obj_id: 5, obj_val: 'x', count: 2, duration: 40 }
      const event = { scope: 'draw:object', ...place, ...emitted, payload: '{"a":1}' }
      const answer = await log.recordEvents({ body: bodyOf(event) }, anna)

      const whose = { user_id: 3, user_name: 'anna', user_email: 'anna@example.org' }
      const accepted = { ...event, ...whose, source: 'client', org_id: null, org_slug: null }
      const timestamp = '2026-03-01T10:00:00.000Z'
      expect(answer).toEqual({ timestamp, events: [{ ...accepted, timestamp }] })
      expect(await rows()).toEqual([
        expect.objectContaining({
          ...accepted,
          timestamp: new Date(timestamp),
          address: '10.0.0.9',
        }),
      ])
    })

    test('timestamps are corrected by the clock error of the client', async () => {
      await log.recordEvents(
        { body: bodyOf({ timestamp: '2026-03-01T08:59:30.500Z' }, { timestamp: sentAt }) },
        anna,
      )
      expect((await rows()).map((row) => row.timestamp.toISOString())).toEqual([
        '2026-03-01T09:59:30.500Z',
        '2026-03-01T10:00:00.000Z',
        '2026-03-01T10:00:00.000Z', // the working time between them
      ])
    })

    test('timestamps are limited to the time between 1970 and the call', async () => {
      await log.recordEvents({ body: bodyOf({ timestamp: '9999-12-31T23:59:59.000Z' }) }, anna)
      await log.recordEvents({ body: bodyOf({ timestamp: '0001-01-01T00:00:00.000Z' }) }, anna)
      expect((await rows()).map((row) => row.timestamp.getTime())).toEqual([0, +clock.now()])
    })

    test.each(clientScopes)('the scope %s is accepted', async (scope) => {
      const { events } = await log.recordEvents({ body: bodyOf({ scope }) }, anna)
      expect(events).toHaveLength(1)
      expect(await scopes()).toEqual(scope === 'user:activity' ? [] : [scope])
    })

    test.each(['create:task', 'send:working_time', 'login:user', ''])(
      'may not be "%s", and then none is kept',
      async (scope) => {
        const attempt = log.recordEvents({ body: bodyOf({}, { scope }) }, anna)
        await expect(attempt).rejects.toMatchObject({
          kind: 'invalid',
          body: { scope: [expect.stringContaining(`events[1]: "${scope}" is not a scope`)] },
        })
        expect(await rows()).toEqual([])
      },
    )

    test('a payload that is not JSON is rejected', async () => {
      await expect(
        log.recordEvents({ body: bodyOf({ payload: '{' }) }, anna),
      ).rejects.toMatchObject({ body: { payload: ['events[0]: JSON as text is expected.'] } })
      expect(await rows()).toEqual([])
    })

    test('a call has at most 10,000 events', async () => {
      const many = (length: number) => bodyOf(...Array.from({ length }, () => ({})))
      await expect(log.recordEvents({ body: many(10_001) }, anna)).rejects.toMatchObject({
        kind: 'too_large',
      })
      expect(await rows()).toEqual([])
      await log.recordEvents({ body: many(10_000) }, anna)
      expect(await rows()).toHaveLength(10_000)
    })

    test('events produce working time, and `user:activity` events produce nothing else', async () => {
      const job = { project_id: 7, task_id: 1, job_id: 31 }
      const previous_event = { scope: 'debug:info', timestamp: '2026-03-01T08:58:00Z' }
      const body = clientEvents.parse({
        timestamp: sentAt,
        previous_event,
        events: [
          { scope: 'user:activity', timestamp: '2026-03-01T08:58:30Z', ...job },
          { scope: 'user:activity', timestamp: sentAt, ...job },
        ],
      })
      await log.recordEvents({ body }, anna)
      expect(await rows()).toMatchObject([
        {
          scope: 'send:working_time',
          source: 'server',
          duration: 120_000,
          ...job,
          user_id: 3,
          timestamp: new Date('2026-03-01T10:00:00Z'),
          count: 1,
        },
      ])
      expect(JSON.parse((await rows())[0]?.payload ?? '')).toEqual({
        working_time: 120_000,
        request: { id: 'request-1', user_agent: 'console/1' },
      })
    })

    test('every user may send events, also without a global role', async () => {
      await log.recordEvents({ body: bodyOf({}) }, callAs({ user_id: 9, role: null }))
      expect(await scopes()).toEqual(['debug:info'])
    })
  })

  describe('the exported file', () => {
    test('the file has a header line and one line per event, oldest first', async () => {
      const values = { obj_name: 'name', obj_id: 5, obj_val: 'say "hi",\nthen go', count: 1 }
      await addEvent({ scope: 'late', timestamp: '2026-03-01T10:00:00.001Z' })
      await addEvent({
        scope: 'update:task',
        timestamp: '2026-03-01T10:00:00.000Z',
        duration: 4,
        project_id: 7,
        task_id: 1,
        job_id: 31,
        org_id: 2,
        org_slug: 'acme',
        ...values,
        payload: '{"old_value":""}',
        access_token_id: 8,
        address: '10.1.2.3',
      })
      expect(await read()).toBe(
        [
          'scope,obj_name,obj_id,obj_val,source,timestamp,count,duration,project_id,task_id,job_id,user_id,user_name,user_email,org_id,org_slug,payload,access_token_id',
          'update:task,name,5,"say ""hi"",\nthen go",server,2026-03-01T10:00:00.000Z,1,4,7,1,31,3,anna,anna@example.org,2,acme,"{""old_value"":""""}",8',
          'late,,,,server,2026-03-01T10:00:00.001Z,,0,,,,3,anna,anna@example.org,,,,',
          '',
        ].join('\n'),
      )
    })

    test('the file has only the header line when no event matches', async () => {
      expect(await read()).toBe(`${eventColumns.join(',')}\n`)
    })

    test('the file leaves out exceptions reported by clients', async () => {
      await addEvent({ scope: 'send:exception' })
      expect(await column('scope')).toEqual([])
    })

    test('the time range includes both bounds', async () => {
      for (const second of [1, 2, 3, 4])
        await addEvent({ scope: `at${second}`, timestamp: `2026-03-01T10:00:0${second}.000Z` })
      const bounds = { from: '2026-03-01T10:00:02.000Z', to: '2026-03-01T10:00:03.000Z' }
      expect(await column('scope', bounds)).toEqual(['at2', 'at3'])
    })

    test.each(['org_id', 'project_id', 'task_id', 'job_id', 'user_id'] as const)(
      'the filter by %s selects one value',
      async (name) => {
        await addEvent({ scope: 'this', [name]: 12 })
        await addEvent({ scope: 'other', [name]: 13 })
        expect(await column('scope', { [name]: 12 })).toEqual(['this'])
      },
    )
  })

  describe('permissions to export events', () => {
    const worker = callAs({ user_id: 3, role: 'worker' })
    const without = callAs({ user_id: 3, role: null })
    const refused = { kind: 'forbidden' }

    test('users see their own events, administrators see all', async () => {
      await addEvent({ user_id: 3 })
      await addEvent({ user_id: 4 })
      expect(await column('user_id', {}, admin)).toEqual(['3', '4'])
      for (const call of [anna, worker]) {
        expect(await column('user_id', {}, call)).toEqual(['3'])
        expect(await log.permitEventExport(everything, call)).toEqual({ ...everything, user_id: 3 })
      }
      expect(await log.permitEventExport(everything, admin)).toEqual(everything)
    })

    test.each([
      ['another user', anna, { user_id: 4 }],
      ['an organization of others', anna, { org_id: 2 }],
      ['an organization of others, own events', anna, { org_id: 2, user_id: 3 }],
      ['anything without a group', without, {}],
    ])('an export without permission is refused: %s', async (_, call, filter) => {
      const query = { ...everything, ...filter }
      await expect(log.permitEventExport(query, call)).rejects.toMatchObject(refused)
      await expect(log.readEvents(query, call)).rejects.toMatchObject(refused)
    })

    test('a time range with reversed bounds is rejected', async () => {
      const bounds = { from: '2026-03-02T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' }
      await expect(log.permitEventExport({ ...everything, ...bounds }, anna)).rejects.toMatchObject(
        { kind: 'invalid', body: { from: [expect.any(String)] } },
      )
    })
  })
})

test('a repeated call whose response was lost stores its events once and gets the same response', async () => {
  const log = await losingAnswers(table, handlers)
  const { events } = await log.recordEvents({ body: bodyOf({}, {}) }, anna)
  expect(events).toHaveLength(2)
  expect(await scopes()).toEqual(['debug:info', 'debug:info'])
})
