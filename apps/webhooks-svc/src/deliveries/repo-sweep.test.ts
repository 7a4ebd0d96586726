import { randomUUID } from 'node:crypto'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhookMessageRow, WebhooksDb } from '../db/schema.ts'
import { addWebhook } from '../testing/world.ts'
import { sweepMessages } from './repo-sweep.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const now = new Date('2026-03-31T10:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

beforeEach(() => sql`truncate webhooks, projects cascade`.execute(db))

async function addMessage(webhook_id: number, given: Partial<WebhookMessageRow>): Promise<number> {
  const { id } = await db
    .insertInto('webhook_messages')
    .values({
      webhook_id,
      sequence: 1,
      event_id: randomUUID(),
      delivery_id: randomUUID(),
      event: 'update:task',
      key: 'task:1',
      changed_fields: '',
      body: Buffer.from('{}'),
      next_attempt_date: now,
      created_date: now,
      ...given,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Inserts many messages in one statement; only their number matters. */
async function addMany(webhook_id: number, count: number, status: string): Promise<void> {
  await sql`
    insert into webhook_messages (webhook_id, sequence, event_id, delivery_id, event, key,
      changed_fields, body, status, next_attempt_date, created_date)
    select ${webhook_id}, n, gen_random_uuid(), gen_random_uuid(), 'update:task', 'task:1', '', '{}',
      ${status}, ${now}, ${now} from generate_series(1, ${count}::integer) n`.execute(db)
}

async function addDeliveries(webhook_id: number, message_id: number, count: number): Promise<void> {
  await sql`
    insert into webhook_deliveries (webhook_id, message_id, status_code, attempt, request_duration,
      response, created_date, updated_date)
    select ${webhook_id}, ${message_id}, 200, n, 1, '', ${now},
      ${now}::timestamptz + make_interval(secs => n)
    from generate_series(1, ${count}::integer) n`.execute(db)
}

const countOf = async (table: 'webhook_messages' | 'webhook_deliveries' | 'webhooks') =>
  (await db.selectFrom(table).select('id').execute()).length

test('finished messages and their attempts are kept for thirty days, pending ones longer', async () => {
  const id = await addWebhook(db)
  const old = await addMessage(id, { created_date: daysAgo(31), status: 'delivered' })
  await addDeliveries(id, old, 2)
  const owed = await addMessage(id, { created_date: daysAgo(31), status: 'waiting' })
  const young = await addMessage(id, { created_date: daysAgo(29), status: 'failed' })
  await sweepMessages(db, now)
  const left = await db.selectFrom('webhook_messages').select('id').orderBy('id').execute()
  expect(left.map((one) => one.id)).toEqual([owed, young])
  expect(await countOf('webhook_deliveries')).toBe(0)
})

test('a webhook keeps its newest thousand deliveries', async () => {
  const id = await addWebhook(db)
  await addDeliveries(id, await addMessage(id, { status: 'delivered' }), 1005)
  await sweepMessages(db, now)
  const { oldest } = await db
    .selectFrom('webhook_deliveries')
    .select((from) => from.fn.min('attempt').as('oldest'))
    .executeTakeFirstOrThrow()
  expect(await countOf('webhook_deliveries')).toBe(1000)
  expect(oldest).toBe(6)
})

test('a webhook keeps its newest thousand finished messages', async () => {
  const [busy, quiet] = [await addWebhook(db), await addWebhook(db)]
  await addMany(busy, 1005, 'delivered')
  await addMany(quiet, 3, 'delivered')
  await sweepMessages(db, now)
  expect(await countOf('webhook_messages')).toBe(1003)
})

test('the oldest retries of a queue beyond ten thousand fail and stay readable', async () => {
  const id = await addWebhook(db)
  await addMany(id, 3, 'waiting')
  await addMany(id, 10_000, 'pending')
  expect(await sweepMessages(db, now)).toEqual({ given_up: 3 })
  const failed = db.selectFrom('webhook_messages').select('sequence').where('status', '=', 'failed')
  expect((await failed.execute()).length).toBe(3)
})

test('a webhook of a deleted project is deleted when it has no pending messages and can get no new ones', async () => {
  await addWebhook(db, { ended_date: daysAgo(9) })
  const owing = await addWebhook(db, { ended_date: daysAgo(9) })
  await addMessage(owing, { status: 'waiting' })
  const recent = await addWebhook(db, { ended_date: daysAgo(7) })
  await sweepMessages(db, now)
  const left = await db.selectFrom('webhooks').select('id').orderBy('id').execute()
  expect(left.map((one) => one.id)).toEqual([owing, recent])
})
