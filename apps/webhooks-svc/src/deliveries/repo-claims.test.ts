import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addOrganizationWebhook, addWebhook } from '../testing/world.ts'
import { claimMessages, dueMessages } from './repo-claims.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const length = 20_000
const now = new Date(Date.now() + 60_000)
const options = { now, free: 200, after: 0 }

beforeEach(() => sql`truncate webhooks, projects, organizations cascade`.execute(db))

/** Inserts messages 1 to `count` of a webhook, a millisecond apart; `key` is an SQL expression over `n`. */
async function queue(
  webhook_id: number,
  key: string,
  status = 'pending',
  count = length,
): Promise<void> {
  await sql`
    insert into webhook_messages (webhook_id, event_id, event, key, sequence, delivery_id, body,
      changed_fields, status, created_date, next_attempt_date)
    select ${webhook_id}, gen_random_uuid(), 'update:task', ${sql.raw(key)}, n, gen_random_uuid(), 'x',
      '', ${status}, now(), now() + make_interval(secs => n / 1000.0)
    from generate_series(1, ${count}::integer) n`.execute(db)
}

const sequences = (claimed: { sequence: number }[]) =>
  claimed.map(({ sequence }) => sequence).sort((a, b) => a - b)
const oneForAll = "'task:1'"
const oneForEach = "'task:' || n"

test('the running attempts of an organization include those of its projects', async () => {
  await db.insertInto('projects').values({ id: 7, owner_id: 1, organization_id: 5 }).execute()
  const ids = [await addWebhook(db), await addOrganizationWebhook(db, 5)]
  const outside = await addWebhook(db, { project_id: 8 })
  for (const id of [...ids, outside]) await queue(id, oneForEach, 'pending', 2)
  await sql`update webhook_messages set lease_until = now() + interval '1 minute'
    where sequence = 1`.execute(db)
  const { rows } = await dueMessages(now).execute(db)
  const seen = rows.map((one) => [one.webhook_id, one.organization_id, one.organization_running])
  expect(seen).toEqual([...ids.map((id) => [id, 5, 2]), [outside, null, 1]])
})

test('a long queue about one object does not block messages about other objects', async () => {
  await queue(await addWebhook(db), `case when n = ${length} then 'task:2' else 'task:1' end`)
  expect(sequences(await claimMessages(db, options))).toEqual([1, length])
  expect(await claimMessages(db, options)).toEqual([])
})

test('the oldest message is claimed first even when many keys sort before its own', async () => {
  await queue(await addWebhook(db), `'task:' || lpad((${length} - n)::text, 5, '0')`)
  expect(sequences(await claimMessages(db, options))).toContain(1)
})

test.each([
  ['first attempts about one object', oneForAll, 'pending'],
  ['first attempts, each about its own', oneForEach, 'pending'],
  ['retries', oneForAll, 'waiting'],
])('a claim reads only a few rows of a long queue of %s', async (_title, key, status) => {
  const id = await addWebhook(db)
  await queue(id, key, status)
  expect(await rowsRead()).toBeLessThan(200)
  await claimMessages(db, options)
  expect(await rowsRead()).toBeLessThan(200)
})

test('pending first attempts do not delay retries', async () => {
  const id = await addWebhook(db)
  await queue(id, oneForEach)
  await sql`update webhook_messages set status = 'waiting' where sequence > ${length - 5}`.execute(
    db,
  )
  expect(await rowsRead()).toBeLessThan(200)
})

interface Plan {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** Number of messages that the claim query reads, including those that it discards. */
async function rowsRead(): Promise<number> {
  const explained = sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
    explain (analyze, format json) ${dueMessages(now)}`
  const { rows } = await explained.execute(db)
  const [plan] = rows[0]?.['QUERY PLAN'] ?? []
  return plan ? readBy(plan.Plan) : Number.NaN
}

function readBy(plan: Plan): number {
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  const own = plan['Relation Name'] === 'webhook_messages' ? rows * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((sum, part) => sum + readBy(part), own)
}
test('claimed messages are in turn order, starting after the webhook that was served last', async () => {
  const ids = [await addWebhook(db), await addWebhook(db), await addWebhook(db)]
  await sql`
    insert into webhook_messages (webhook_id, event_id, event, key, sequence, delivery_id, body,
      changed_fields, created_date, next_attempt_date)
    select id, gen_random_uuid(), 'update:task', 'task:1', 1, gen_random_uuid(), 'x', '', now(), now()
    from webhooks order by id`.execute(db)

  const [first, ...others] = ids
  const taken = await claimMessages(db, { now, free: 3, after: first ?? 0 })

  expect(taken.map(({ webhook_id }) => webhook_id)).toEqual([...others, first])
})
