import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testDb } from '../testing/db.ts'
import { attempt } from './attempt.ts'
import { on, PoisonEvent, route } from './bus.ts'
import { type ContractTables, contractMigrations, counted, topic } from './testing/rig.ts'

const db = await testDb<ContractTables>(contractMigrations, 'contract')
const failures = new Map()

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

test('whoever hears of a failure hears of which event, and of its trace', async () => {
  const told: unknown[] = []
  const broken = new Error('no')
  const subscriber = {
    ...{ db, topic, group: 'g' },
    handle: () => Promise.reject(broken),
    onError: (...given: unknown[]) => told.push(given),
  }
  const trace_id = 'a'.repeat(32)
  const message = messageOf({ traceparent: `00-${trace_id}-${'b'.repeat(16)}-01` })

  const error = await db
    .transaction()
    .execute((tx) => attempt(tx, subscriber, { partition: 0, message, failures }))
  expect(error).toBe(broken)
  expect(told).toEqual([[broken, { group: 'g', event_id: message.event_id, trace_id }]])
})

describe('of a group with routes', () => {
  const handle = route<ContractTables>([on(counted, async () => undefined)])
  const subscriber = { db, topic, group: 'routes', handle, onError: () => undefined }

  test('an event without one costs no statement', async () => {
    const message = messageOf({ 'event-type': 'counted.down' })
    const nowhere = {} as Transaction<ContractTables>
    const error = await attempt(nowhere, subscriber, { partition: 0, message, failures })
    expect(error).toBeUndefined()
  })

  test.each([
    ['a version without one', { 'event-type': counted.type, 'event-version': '2' }, PoisonEvent],
    ['what is no event', { 'event-type': 'counted.down', 'event-version': 'none' }, z.ZodError],
  ])('%s is not passed over', async (_title, headers, expected) => {
    const message = messageOf(headers)
    const error = await db
      .transaction()
      .execute((tx) => attempt(tx, subscriber, { partition: 0, message, failures }))
    expect(error).toBeInstanceOf(expected)
  })
})
