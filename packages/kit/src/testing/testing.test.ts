import { createEventType } from '@reticle/contracts/events/define'
import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Migrations } from '../db/migrate.ts'
import { emit } from '../outbox/emit.ts'
import { outboxTables } from '../outbox/tables.ts'
import { callAs } from './call.ts'
import { testClock } from './clock.ts'
import { testDb } from './db.ts'
import { checkEmitOrder } from './emit-order.ts'
import { startReceiver } from './receiver.ts'

test('a receiver records raw bytes and responds as configured', async () => {
  const receiver = await startReceiver()
  const post = () =>
    fetch(`${receiver.url}/hook?a=1`, { method: 'POST', body: Buffer.from([0, 255]) })
  expect((await post()).status).toBe(200)
  expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/hook?a=1' })
  expect(receiver.received[0]?.body).toEqual(Buffer.from([0, 255]))

  receiver.answer((_, nth) => ({
    status: 500 + nth,
    headers: { 'x-nth': String(nth) },
    body: 'no',
  }))
  const answer = await post()
  expect([answer.status, answer.headers.get('x-nth'), await answer.text()]).toEqual([
    502,
    '2',
    'no',
  ])

  receiver.answer({ status: 'reset' })
  await expect(post()).rejects.toThrow()
  receiver.answer({ status: 'hang' })
  await expect(fetch(receiver.url, { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout')
  await receiver.close()
})

test('a test clock changes only when it is set or advanced', () => {
  const clock = testClock('2026-01-01T00:00:00Z')
  clock.advance(6000)
  expect(clock.now()).toEqual(new Date('2026-01-01T00:00:06Z'))
  clock.set('2027-01-01T00:00:00Z')
  expect(clock.now()).toEqual(new Date('2027-01-01T00:00:00Z'))
})

test('a call has a complete principal or none', () => {
  expect(callAs({ user_id: 7, role: 'admin' }).principal).toMatchObject({
    user_id: 7,
    username: 'user7',
    role: 'admin',
    token: null,
  })
  expect(callAs(null, { request_id: 'r-7' })).toMatchObject({ principal: null, request_id: 'r-7' })
})

test('an event emitted before its row was locked is rejected', async () => {
  const migrations: Migrations = {
    '0001-shop': {
      up: async (given: Kysely<unknown>) => {
        await outboxTables(given, 'shop')
        await sql`create table items (id integer); insert into items values (1)`.execute(given)
      },
    },
  }
  const db = await testDb<object>(migrations, 'shop')
  await checkEmitOrder(db, { item: 'items' })
  const sold = createEventType('item.sold', { key: () => 'item:1', data: z.object({}) })
  const cause = { principal: null, request_id: 'r' }

  const early = db.transaction().execute((tx) => emit(tx, sold, {}, cause))
  await expect(early).rejects.toThrow(
    'event item.sold was emitted before its row of items was locked',
  )
  await db.transaction().execute(async (tx) => {
    await sql`select * from items where id = 1 for update`.execute(tx)
    await emit(tx, sold, {}, cause)
  })
  const other = createEventType('shop.shut', { key: () => 'shop:1', data: z.object({}) })
  const unknown = db.transaction().execute((tx) => emit(tx, other, {}, cause))
  await expect(unknown).rejects.toThrow('the key shop:1, whose kind no table is named for')
})
