import { defineEvent } from '@reticle/contracts/events/define'
import { type Kysely, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Bus } from '../bus/bus.ts'
import type { Migrations } from '../db/migrate.ts'
import { idempotencyKeysTable } from '../keys/table.ts'
import { testDatabase } from '../testing/db.ts'
import { applyOnce } from './calls.ts'
import { emit, emitAll } from './emit.ts'
import { readEnvelope } from './envelope.ts'
import { deleteExpiredRows, markReceived } from './inbox.ts'
import { type Relay, startRelay } from './relay.ts'
import { republishSent } from './sent.ts'
import { type OutboxTables, outboxSentTable, outboxTables } from './tables.ts'

const migrations: Migrations = {
  '0001-outbox': { up: (db: Kysely<unknown>) => outboxTables(db, 'shop') },
  '0002-outbox-sent': { up: (db: Kysely<unknown>) => outboxSentTable(db, 'shop') },
  '0003-keys': { up: (db: Kysely<unknown>) => idempotencyKeysTable(db, 'shop') },
}
const { db, url, onCommit } = await testDatabase<OutboxTables>([{ schema: 'shop', migrations }])
const sold = defineEvent('item.sold', {
  key: ({ id }) => `item:${id}`,
  data: z.object({ id: z.int(), note: z.string().optional() }),
})
const cause = { principal: null, request_id: 'r-1' }
const rows = () => db.selectFrom('outbox').selectAll().orderBy('id').execute()
const clear = () => db.deleteFrom('outbox').execute()

test('an event is a row with its envelope beside the data', async () => {
  const names = { username: 'ann', first_name: 'Ann', last_name: 'Lee', email: 'a@b.c' }
  const why = { principal: { user_id: 7, ...names }, request_id: 'r-1', organization_id: 3 }
  const id = await db.transaction().execute((tx) => emit(tx, sold, { id: 5 }, why))

  const [row] = await rows()
  expect(row).toMatchObject({
    event_id: id,
    topic: 'reticle.events.v1',
    key: 'item:5',
    type: 'item.sold',
    version: 1,
    data: { id: 5 },
  })
  expect(row?.headers).toEqual({
    'event-id': id,
    'event-type': 'item.sold',
    'event-version': '1',
    'occurred-date': expect.stringMatching(/^\d{4}-.*Z$/),
    'org-id': '3',
    actor: JSON.stringify({ id: 7, ...names }),
    'request-id': 'r-1',
  })
  await clear()
})

test('an event names the client and the access token of its cause, if they are known', async () => {
  const names = { username: 'ann', first_name: 'Ann', last_name: 'Lee', email: 'a@b.c' }
  const why = { principal: { user_id: 7, ...names, token: { id: 5 } }, request_id: 'r-1' }
  const means = { address: '::1', user_agent: 'cli/1' }
  await db.transaction().execute((tx) => emit(tx, sold, { id: 5 }, { ...why, ...means }))
  const [row] = await rows()
  expect(readEnvelope('item:5', row?.headers, row?.data).caller).toEqual({ ...means, token_id: 5 })
  await clear()
})

test('without user and organization, the actor is null and the organization is absent', async () => {
  await db.transaction().execute((tx) => emit(tx, sold, { id: 5 }, cause))
  const [row] = await rows()
  expect(row?.headers).toMatchObject({ actor: 'null' })
  expect(row?.headers).not.toHaveProperty('org-id')
  await clear()
})

test('the organization that an event itself names overrides that of its cause', async () => {
  const moved = defineEvent('item.moved', {
    key: ({ id }) => `item:${id}`,
    organization: ({ shop }) => shop,
    data: z.object({ id: z.int(), shop: z.int().nullable() }),
  })
  const why = { ...cause, organization_id: 3 }
  const facts = [
    { id: 5, shop: 8 },
    { id: 6, shop: null },
  ]
  await db.transaction().execute((tx) => emitAll(tx, moved, facts, why))
  const [inside, outside] = await rows()
  expect(inside?.headers).toMatchObject({ 'org-id': '8' })
  expect(outside?.headers).not.toHaveProperty('org-id')
  await clear()
})

test('keys that the schema does not declare are not stored', async () => {
  const fact = { id: 5, password: 'secret' }
  await db.transaction().execute((tx) => emit(tx, sold, fact, cause))
  expect((await rows())[0]?.data).toEqual({ id: 5 })
  await clear()
})

test('several events keep their order', async () => {
  const facts = [3, 1, 2].map((id) => ({ id }))
  await db.transaction().execute((tx) => emitAll(tx, sold, facts, cause))
  expect((await rows()).map(({ data }) => data)).toEqual(facts)
  await db.transaction().execute((tx) => emitAll(tx, sold, [], cause))
  await clear()
})

test('an event above a megabyte is rejected with its size', async () => {
  const fact = { id: 1, note: 'x'.repeat(1_000_000) }
  const attempt = db.transaction().execute((tx) => emit(tx, sold, fact, cause))
  await expect(attempt).rejects.toThrow('item.sold has 1000018 bytes of data')
})

test('an event that arrives repeatedly and concurrently takes effect once', async () => {
  const id = '0199f7a0-0000-7000-8000-000000000001'
  let effects = 0
  const receive = () =>
    db.transaction().execute(async (tx) => {
      if (await markReceived(tx, 'reader', id)) effects++
    })
  await Promise.all([receive(), receive(), receive()])
  await receive()
  expect(effects).toBe(1)
})

test('an event whose effect failed stays unread', async () => {
  const id = '0199f7a0-0000-7000-8000-000000000002'
  const attempt = db.transaction().execute(async (tx) => {
    await markReceived(tx, 'reader', id)
    throw new Error('no effect')
  })
  await expect(attempt).rejects.toThrow()
  expect(await db.transaction().execute((tx) => markReceived(tx, 'reader', id))).toBe(true)
})

test('a repeated call gets the response of the first one, even while that is still running', async () => {
  let runs = 0
  const call = () =>
    db.transaction().execute((tx) =>
      applyOnce(tx, 'call-1', async () => {
        await sql`select pg_sleep(0.05)`.execute(tx)
        return { id: ++runs, name: 'né' }
      }),
    )
  const answers = await Promise.all([call(), call(), call()])
  expect(answers).toEqual([1, 1, 1].map((id) => ({ id, name: 'né' })))
  expect(runs).toBe(1)
})

test('a failed call runs again when it is repeated', async () => {
  const fail = db
    .transaction()
    .execute((tx) => applyOnce(tx, 'call-2', () => Promise.reject(new Error('no'))))
  await expect(fail).rejects.toThrow('no')
  expect(await db.transaction().execute((tx) => applyOnce(tx, 'call-2', async () => 'yes'))).toBe(
    'yes',
  )
})

test('received events are deleted after two weeks, and applied calls after a day', async () => {
  const now = new Date('2026-03-01T00:00:00Z')
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
  const event = (n: number) => `0199f7a0-0000-7000-8000-00000000000${n}`
  await db.deleteFrom('inbox').execute()
  await db.deleteFrom('applied_calls').execute()
  const inbox = [13, 15].map((days) => ({
    consumer: 'r',
    event_id: event(1),
    received_date: daysAgo(days),
  }))
  await db
    .insertInto('inbox')
    .values(inbox.map((row, n) => ({ ...row, event_id: event(n) })))
    .execute()
  const calls = [0.5, 2].map((days) => ({
    call_id: `${days}`,
    response: null,
    created_date: daysAgo(days),
  }))
  await db.insertInto('applied_calls').values(calls).execute()

  await deleteExpiredRows(db, now)
  expect(await db.selectFrom('inbox').select('event_id').execute()).toEqual([
    { event_id: event(0) },
  ])
  expect(await db.selectFrom('applied_calls').select('call_id').execute()).toEqual([
    { call_id: '0.5' },
  ])
})

/** Inserts published events as the relay to a broker does. */
async function sent(given: { id: number; sent_date: Date }[]) {
  const rest = { topic: 'reticle.events.v1', type: 'item.sold', version: 1, headers: '{}' }
  const rows = given.map(({ id, sent_date }) => ({
    ...rest,
    id,
    sent_date,
    event_id: `0199f7a0-0000-7000-8000-00000000010${id}`,
    key: `item:${id}`,
    data: JSON.stringify({ id }),
    created_date: sent_date,
  }))
  await db.insertInto('outbox_sent').values(rows).execute()
}

test('events published since a time return to the outbox with their order and ids', async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))
  await sent([
    { id: 4, sent_date: at(3) },
    { id: 1, sent_date: at(0) },
    { id: 2, sent_date: at(1) },
    { id: 3, sent_date: at(2) },
  ])
  expect(await republishSent(db, { since: at(1) })).toBe(3)
  const back = await rows()
  expect(back.map(({ key }) => key)).toEqual(['item:2', 'item:3', 'item:4'])
  expect(back[0]).toMatchObject({
    event_id: '0199f7a0-0000-7000-8000-000000000102',
    created_date: at(1),
  })
  expect(await db.selectFrom('outbox_sent').select('id').execute()).toEqual([{ id: 1 }])
  await clear()
  await db.deleteFrom('outbox_sent').execute()
})

test('published events are deleted after two days', async () => {
  const now = new Date('2026-03-05T00:00:00Z')
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  await sent([
    { id: 1, sent_date: hoursAgo(49) },
    { id: 2, sent_date: hoursAgo(47) },
  ])
  await deleteExpiredRows(db, now)
  expect(await db.selectFrom('outbox_sent').select('id').execute()).toEqual([{ id: 2 }])
  await db.deleteFrom('outbox_sent').execute()
})

const moved: string[] = []
const running: Relay[] = []
afterAll(() => Promise.all(running.map((relay) => relay.stop())))

/** Starts a relay that deletes rows and records their keys, like an adapter. It fails while `down`. */
function collector(name: string, state: { down: boolean } = { down: false }) {
  const relay: Bus['relay'] = async ({ session }, limit) => {
    if (state.down) throw new Error('no broker')
    const taken = await sql<{ key: string }>`
      delete from shop.outbox where id in (select id from shop.outbox order by id limit ${limit}) returning key`.execute(
      session,
    )
    moved.push(...taken.rows.map(({ key }) => `${name} ${key}`))
    return taken.rows.length
  }
  const errors: unknown[] = []
  const bus = { relay }
  const started = startRelay({
    url,
    schema: 'shop',
    bus,
    onError: (error) => errors.push(error),
    pollMs: 50,
  })
  running.push(started)
  return { ...started, errors }
}
const sell = (id: number) => db.transaction().execute((tx) => emit(tx, sold, { id }, cause))

test('one relay leads, and another one takes over when it stops', async () => {
  const first = collector('first')
  await sell(1)
  await expect.poll(() => moved).toEqual(['first item:1'])
  const second = collector('second')
  await sell(2)
  await expect.poll(() => moved).toEqual(['first item:1', 'first item:2'])
  await first.stop()
  await sell(3)
  await expect.poll(() => moved.at(-1)).toBe('second item:3')
  await second.stop()
})

test('a commit wakes the relay long before its next poll', async () => {
  const relay = startRelay({
    url,
    schema: 'shop',
    bus: {
      relay: async ({ session }) => {
        const taken = await sql`delete from shop.outbox`.execute(session)
        return Number(taken.numAffectedRows)
      },
    },
    onError: () => undefined,
    pollMs: 60_000,
  })
  running.push(relay)
  onCommit(relay.wake)
  await sell(4)
  await expect.poll(rows, { timeout: 60_000, interval: 5 }).toEqual([])
  await relay.stop()
})

test('events that are committed within the head start are relayed together after it', async () => {
  await clear()
  const batches: number[] = []
  const relay = startRelay({
    url,
    schema: 'shop',
    bus: {
      relay: async ({ session }) => {
        const taken = await sql`delete from shop.outbox`.execute(session)
        batches.push(Number(taken.numAffectedRows))
        return Number(taken.numAffectedRows)
      },
    },
    onError: () => undefined,
    pollMs: 60_000,
    headStartMs: 2000,
  })
  running.push(relay)
  await expect.poll(() => batches).toEqual([0])
  onCommit(relay.wake)
  await sell(6)
  await sell(7)
  await expect.poll(() => batches.filter((count) => count > 0), { timeout: 60_000 }).toEqual([2])
  await relay.stop()
})

test('a failure of the bus is reported and retried', async () => {
  const state = { down: true }
  const relay = collector('third', state)
  await sell(5)
  await expect.poll(() => relay.errors.length).toBeGreaterThan(1)
  expect(await rows()).toHaveLength(1)
  state.down = false
  await expect.poll(() => moved.at(-1)).toBe('third item:5')
  await relay.stop()
})

test('a relay that loses its database session opens another one', async () => {
  const relay = collector('fourth')
  await sell(6)
  await expect.poll(() => moved.at(-1)).toBe('fourth item:6')
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'relay shop'`.execute(
    db,
  )
  await sell(7)
  await expect.poll(() => moved.at(-1)).toBe('fourth item:7')
  await relay.stop()
})
