import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { testDb } from '../testing/db.ts'
import {
  attemptEach,
  attemptEvent,
  noteFailure,
  type PartitionFailures,
  runTransaction,
} from './attempt.ts'
import { type AfterCommit, EarlyEvent, onEvent, PoisonEvent, routeEvents } from './bus.ts'
import { type ContractTables, contractMigrations, counted, topic } from './testing/rig.ts'

const db = await testDb<ContractTables>(contractMigrations, 'contract')
const failures = new Map()
const afterCommit = () => undefined

function messageOf(given: Record<string, string>) {
  const event_id = randomUUID()
  const headers = {
    'event-id': event_id,
    'event-type': 'a.b',
    'event-version': '1',
    'occurred-date': new Date().toISOString(),
    actor: 'null',
    'request-id': 'r',
    ...given,
  }
  return { offset: 0, event_id, key: 'k', headers, value: {} }
}

test('a failure is reported with the id and the trace of its event', async () => {
  const told: unknown[] = []
  const broken = new Error('no')
  const subscriber = {
    db,
    topic,
    group: 'g',
    handle: () => Promise.reject(broken),
    onError: (...given: unknown[]) => told.push(given),
  }
  const trace_id = 'a'.repeat(32)
  const message = messageOf({ traceparent: `00-${trace_id}-${'b'.repeat(16)}-01` })

  const error = await db
    .transaction()
    .execute((tx) => attemptEvent(tx, subscriber, { partition: 0, message, failures, afterCommit }))
  expect(error).toBe(broken)
  expect(told).toEqual([[broken, { group: 'g', event_id: message.event_id, trace_id }]])
})

test.each([
  ['an early event', new EarlyEvent('later'), [200, 1000, 5000, 15_000, 30_000, 30_000], 0],
  ['a broken one', new Error('no'), [20, 40, 80, 160, 10], 1],
])(
  '%s is handled again after pauses, and only the broken one is moved to dead events',
  async (_, error, pauses, dead) => {
    const known: PartitionFailures = new Map()
    const message = messageOf({})
    const subscriber = { db, topic, group: message.event_id, onError: () => undefined }
    const failing = { ...subscriber, handle: () => Promise.reject(error) }
    const tryOnce = () =>
      db
        .transaction()
        .execute((tx) =>
          attemptEvent(tx, failing, { partition: 0, message, failures: known, afterCommit }),
        )
    const waits: number[] = []
    for (let tries = 0; tries < pauses.length; tries++)
      waits.push(noteFailure(known, { partition: 0, offset: 0, error: await tryOnce() }))
    expect(waits).toEqual(pauses)
    await tryOnce()
    const rows = await sql`select from dead_events where consumer = ${message.event_id}`.execute(db)
    expect(rows.rows).toHaveLength(dead)
  },
)

describe('a group with routes', () => {
  const handle = routeEvents<ContractTables>([onEvent(counted, async () => undefined)])
  const subscriber = { db, topic, group: 'routes', handle, onError: () => undefined }

  test('an event without a route costs no statement', async () => {
    const message = messageOf({ 'event-type': 'counted.down' })
    const nowhere = {} as Transaction<ContractTables>
    const error = await attemptEvent(nowhere, subscriber, {
      partition: 0,
      message,
      failures,
      afterCommit,
    })
    expect(error).toBeUndefined()
  })

  test.each([
    ['a version without one', { 'event-type': counted.type, 'event-version': '2' }, PoisonEvent],
    ['what is no event', { 'event-type': 'counted.down', 'event-version': 'none' }, z.ZodError],
  ])('%s is not skipped', async (_title, headers, expected) => {
    const message = messageOf(headers)
    const error = await db
      .transaction()
      .execute((tx) =>
        attemptEvent(tx, subscriber, { partition: 0, message, failures, afterCommit }),
      )
    expect(error).toBeInstanceOf(expected)
  })
})

test('work that handlers leave until the commit runs once after it, without that of a failed handler', async () => {
  const ran: string[] = []
  const wake = () => void ran.push('wake')
  const subscriber = {
    db,
    topic,
    group: 'leaving',
    onError: () => undefined,
    handle: async (_tx: unknown, { key }: { key: string }, leave: AfterCommit) => {
      leave(key === 'broken' ? () => void ran.push('broken') : wake)
      if (key === 'broken') throw new Error('no')
      expect(ran).toEqual([])
    },
  }
  await runTransaction(db, async (tx, afterCommit) => {
    for (const key of ['a', 'b', 'broken'])
      await attemptEvent(tx, subscriber, {
        partition: 0,
        failures,
        afterCommit,
        message: { ...messageOf({}), key },
      })
    expect(ran).toEqual([])
  })
  expect(ran).toEqual(['wake'])
})

test('transactions of two partitions do not deadlock on row locks of their events', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0) // on a busy machine a batch would otherwise end before its second event
  onTestFinished(() => void vi.restoreAllMocks())
  const told: unknown[] = []
  let inside = 0
  /** Waits until both transactions have their first lock, before either requests its second. */
  const both = async () => {
    inside++
    for (let tries = 0; inside < 2 && tries < 500; tries++) await sleep(10)
  }
  const subscriber = {
    db,
    topic,
    group: 'crossing',
    handle: async (tx: Transaction<ContractTables>, { key }: { key: string }) => {
      await sql`select pg_advisory_xact_lock(4711, ${Number(key)}::int)`.execute(tx)
      await both()
    },
    onError: (error: unknown) => told.push(error),
  }
  const handled = (keys: number[]) =>
    db.transaction().execute(async (tx) => {
      const messages = keys.map((key, offset) => ({ ...messageOf({}), key: String(key), offset }))
      let next = 0
      const error = await attemptEach(
        tx,
        subscriber,
        { partition: keys[0] ?? 0, messages, failures: new Map() },
        { isOver: () => false, reached: (offset) => (next = offset), afterCommit },
      )
      return { error, next }
    })

  const seen = await Promise.all([handled([1, 2]), handled([2, 1])])

  expect(told).toEqual([])
  expect(seen.map(({ error }) => error)).toEqual([undefined, undefined])
  expect(Math.min(...seen.map(({ next }) => next))).toBeGreaterThan(0)
})
