import { defineEvent } from '@reticle/contracts/events/define'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { emit } from '../outbox/emit.ts'
import { startRelay } from '../outbox/relay.ts'
import { countStatements } from '../testing/count-statements.ts'
import { testDatabase } from '../testing/db.ts'
import { busContract } from './contract.ts'
import { appendBatch, busMigrations, retainMessages } from './postgres/log.ts'
import { lagOf } from './postgres/offsets.ts'
import { postgresBus } from './postgres.ts'
import { type ContractTables, contractMigrations, topic, withPath } from './testing/rig.ts'

const schemas = [
  { schema: 'contract', migrations: contractMigrations },
  { schema: 'bus', migrations: busMigrations },
]
const database = await testDatabase<ContractTables>(schemas)
const { url, onCommit } = database
const openBus = () => postgresBus({ url: withPath(url), onError: () => undefined })
const bus = openBus()
const relay = startRelay({ url: withPath(url), schema: 'contract', bus, onError: () => undefined })
onCommit(relay.wake)
afterAll(async () => {
  await relay.stop()
  await bus.close()
})

busContract('PostgreSQL', { db: database.db, openBus })

const thing = defineEvent('thing.made', {
  key: ({ id }) => `thing:${id}`,
  data: z.object({ id: z.int() }),
})
const cause = { principal: null, request_id: 'test' }

test('offsets have no gaps while eight relays append concurrently', async () => {
  const { db } = await testDatabase<ContractTables>(schemas)
  const write = async (writer: number) => {
    for (let n = 0; n < 25; n++) {
      await db.transaction().execute((tx) => emit(tx, thing, { id: writer * 100 + n }, cause))
    }
  }
  const append = async () => {
    let moved = 0
    for (let n = 0; n < 30; n++)
      moved += await appendBatch({ schema: 'contract', session: db as never }, 10)
    return moved
  }
  const eight = [1, 2, 3, 4, 5, 6, 7, 8]
  const results = await Promise.all(eight.flatMap((n) => [write(n), append()]))
  const before = results.reduce<number>((sum, moved) => sum + (moved ?? 0), 0)
  const rest = await append()

  expect(before + rest).toBe(200)
  const { rows } = await sql`
    select sum(next)::int8 as heads, (select count(*) from bus.bus_messages) as messages,
      (select count(distinct event_id) from bus.bus_messages) as events,
      (select count(*) from bus.bus_messages m join bus.bus_heads h using (topic, partition)
        where m."offset" >= h.next) as beyond
    from bus.bus_heads`.execute(db)
  expect(rows).toEqual([{ heads: 200, messages: 200, events: 200, beyond: 0 }])
})

test('events that a group does not handle do not wake it, and it skips them at its next poll', async () => {
  const { db, url: address, onCommit: committed } = await testDatabase<ContractTables>(schemas)
  const onError = () => undefined
  const own = postgresBus({ url: withPath(address), onError })
  const relays = startRelay({ url: withPath(address), schema: 'contract', bus: own, onError })
  committed(relays.wake)
  const quiet = countStatements(db)
  const group = { topic, db: quiet.db, group: 'quiet' }
  const other = Object.assign(async () => undefined, { isFor: (type: string) => type === 'other' })
  own.subscribe({ ...group, handle: other })
  const heard: unknown[] = []
  own.subscribe({
    ...{ topic, db, group: 'awake' },
    handle: async (_, { data }) => void heard.push(data),
  })

  const began = performance.now()
  for (let count = 1; count <= 50; count++) {
    await db.transaction().execute((tx) => emit(tx, thing, { id: 1 }, cause))
    await vi.waitFor(() => expect(heard).toHaveLength(count), { timeout: 60_000, interval: 1 })
  }
  const polls = 2 + (performance.now() - began) / 1000
  expect(quiet.statements()).toBeLessThan(polls * 10) // a group that is woken needs six statements for each event
  await vi.waitFor(async () => expect(await lagOf(group)).toBe(0), { timeout: 60_000 })
  await relays.stop()
  await own.close()
})

test('an event of an unknown topic stays in the outbox, and the relay fails', async () => {
  const { db } = await testDatabase<ContractTables>(schemas)
  await db.transaction().execute((tx) => emit(tx, thing, { id: 1 }, cause))
  await sql`update outbox set topic = 'reticle.nowhere'`.execute(db)
  const attempt = appendBatch({ schema: 'contract', session: db as never }, 10)
  await expect(attempt).rejects.toThrow('null value in column "partition"')
  expect(await db.selectFrom('outbox').select('id').execute()).toHaveLength(1)
})

test('messages are deleted after a week, but not before the slowest living group has read them', async () => {
  const { db } = await testDatabase<ContractTables>(schemas)
  const now = new Date()
  for (const id of [1, 1, 1, 1]) {
    await db.transaction().execute((tx) => emit(tx, thing, { id }, cause))
  }
  await appendBatch({ schema: 'contract', session: db as never }, 10)
  await sql`
    update bus.bus_messages set created_date = now() - interval '8 days' where "offset" < 3`.execute(
    db,
  )
  await sql`
    insert into bus.bus_offsets ("group", topic, partition, next, lease_until)
    select g, topic, partition, n, at from bus.bus_messages,
      (values ('fast', 4, now()), ('slow', 1, now()), ('gone', 0, now() - interval '8 days')) v(g, n, at)
    where "offset" = 0`.execute(db)

  expect(await retainMessages(db as never, now)).toEqual({ messages: 1, dropped_groups: ['gone'] })
  await sql`update bus.bus_offsets set next = 4`.execute(db)
  expect(await retainMessages(db as never, now)).toEqual({ messages: 2, dropped_groups: [] })
  const { rows } = await sql`select "offset" from bus.bus_messages`.execute(db)
  expect(rows).toEqual([{ offset: 3 }])
})
