import type { Kysely } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { testDb } from '../testing/db.ts'
import { dropDead, listDead, replayDead, showDead, storeDeadEvent } from './dead.ts'
import { keyDeadEvents, type OutboxTables, outboxTables } from './tables.ts'

const db = await testDb<OutboxTables>(
  {
    '0001-outbox': { up: (session: Kysely<unknown>) => outboxTables(session, 'shop') },
    '0002-dead': { up: (session: Kysely<unknown>) => keyDeadEvents(session, 'shop') },
  },
  'shop',
)
const eventId = (n: number) => `0199f7a0-0000-7000-8000-00000000000${n}`

interface Given {
  consumer: string
  id: number
  offset: number
  value?: unknown
}
const die = ({ consumer, id, offset, value = { id } }: Given, error: unknown = new Error('no')) =>
  db.transaction().execute((tx) => {
    const place = { topic: 'reticle.events.v1', partition: 3, offset }
    const dead = { consumer, event_id: eventId(id), key: `item:${id}`, headers: {}, value }
    return storeDeadEvent(tx, { ...place, ...dead }, error)
  })
beforeEach(async () => {
  await db.deleteFrom('dead_events').execute()
})

test('dead events are listed by consumer, without their contents', async () => {
  await die({ consumer: 'a', id: 1, offset: 7 })
  await die({ consumer: 'b', id: 2, offset: 8 })
  const [only, ...none] = await listDead(db, { consumer: 'a' })
  expect(none).toEqual([])
  expect(only).toEqual({
    consumer: 'a',
    event_id: eventId(1),
    topic: 'reticle.events.v1',
    partition: 3,
    offset: 7,
    key: 'item:1',
    error: 'Error: no',
    failed_date: expect.any(Date),
    replayed_date: null,
  })
  expect(await listDead(db, {})).toHaveLength(2)
})

test('an event is shown for each consumer that failed', async () => {
  await die({ consumer: 'a', id: 1, offset: 7 })
  await die({ consumer: 'b', id: 1, offset: 7 })
  const shown = await showDead(db, eventId(1))
  expect(shown.map(({ consumer, value }) => ({ consumer, value }))).toEqual([
    { consumer: 'a', value: { id: 1 } },
    { consumer: 'b', value: { id: 1 } },
  ])
})

test('a replayed event that fails again is dead again with the newer error', async () => {
  await die({ consumer: 'a', id: 1, offset: 7 })
  expect(await replayDead(db, { event_id: eventId(1), consumer: 'a' })).toBe(1)
  expect((await showDead(db, eventId(1)))[0]?.replayed_date).toBeInstanceOf(Date)
  await die({ consumer: 'a', id: 1, offset: 7 }, 'still no')
  expect(await showDead(db, eventId(1))).toMatchObject([{ error: 'still no', replayed_date: null }])
})

test('two events at the same offset, as after the loss of a topic, are both kept', async () => {
  await die({ consumer: 'a', id: 1, offset: 7 })
  await die({ consumer: 'a', id: 2, offset: 7 })
  expect(await listDead(db, { consumer: 'a' })).toHaveLength(2)
})

test('a dropped event is deleted, and others stay', async () => {
  await die({ consumer: 'a', id: 1, offset: 7 })
  await die({ consumer: 'a', id: 2, offset: 8 })
  expect(await dropDead(db, { event_id: eventId(1) })).toBe(1)
  expect((await listDead(db, {})).map(({ event_id }) => event_id)).toEqual([eventId(2)])
})

test('an event with characters that the database rejects can be buried', async () => {
  await die({ consumer: 'a', id: 1, offset: 7, value: 'a\0b \ud800 é' })
  expect(await showDead(db, eventId(1))).toMatchObject([{ value: 'a\ufffdb \ufffd é' }])
})
