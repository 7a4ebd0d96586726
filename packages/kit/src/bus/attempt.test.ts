import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDb } from '../testing/db.ts'
import { attempt } from './attempt.ts'
import { type ContractTables, contractMigrations, topic } from './testing/rig.ts'

const db = await testDb<ContractTables>(contractMigrations, 'contract')

test('whoever hears of a failure hears of which event, and of its trace', async () => {
  const told: unknown[] = []
  const broken = new Error('no')
  const subscriber = {
    ...{ db, topic, group: 'g' },
    handle: () => Promise.reject(broken),
    onError: (...given: unknown[]) => told.push(given),
  }
  const [event_id, trace_id] = [randomUUID(), 'a'.repeat(32)]
  const headers = {
    'event-id': event_id,
    'event-type': 'a.b',
    'event-version': '1',
    'occurred-date': new Date().toISOString(),
    actor: 'null',
    'request-id': 'r',
    traceparent: `00-${trace_id}-${'b'.repeat(16)}-01`,
  }
  const message = { offset: 0, event_id, key: 'k', headers, value: {} }
  const failures = new Map()

  const error = await db
    .transaction()
    .execute((tx) => attempt(tx, subscriber, { partition: 0, message, failures }))
  expect(error).toBe(broken)
  expect(told).toEqual([[broken, { group: 'g', event_id, trace_id }]])
})
