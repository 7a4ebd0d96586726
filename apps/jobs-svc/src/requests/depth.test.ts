import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { addRequest } from '../testing/rows.ts'
import { queueDepth } from './depth.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
beforeEach(async () => {
  await sql`truncate requests, tenant_turns cascade`.execute(db)
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

/**
 * What the chart has the autoscaler ask, `queued + started`: divided by the slots of a worker it says how many workers are
 * wanted.
 */
const demandQuery = 'select demand from requests.queue_depth'

/** As KEDA asks: the only column of the only row. */
async function demand() {
  const { rows } = await sql.raw<{ demand: number }>(demandQuery).execute(db)
  expect(rows.length).toBe(1)
  return rows[0]?.demand
}

test('an empty queue wants nothing', async () => {
  expect(await queueDepth(db)).toEqual({ queued: 0, started: 0, oldest_queued_seconds: 0 })
  expect(await demand()).toBe(0)
})

test('what waits and what runs is counted over all tenants, what is over is not', async () => {
  await addRequest(db, { tenant: 'org:1', created_date: ago(90) })
  await addRequest(db, { tenant: 'org:2', created_date: ago(30) })
  await addRequest(db, { status: 'started', created_date: ago(900) })
  await addRequest(db, { status: 'finished', created_date: ago(9000) })
  await addRequest(db, { status: 'failed', created_date: ago(9000) })

  const { oldest_queued_seconds, ...counts } = await queueDepth(db)
  expect(counts).toEqual({ queued: 2, started: 1 })
  expect(oldest_queued_seconds).toBeGreaterThanOrEqual(90)
  expect(oldest_queued_seconds).toBeLessThan(120)
  expect(await demand()).toBe(3)
})

test('a request that waits for its next attempt still wants a worker', async () => {
  await addRequest(db, { not_before_date: new Date(Date.now() + 60_000) })
  expect(await demand()).toBe(1)
})

test('a clock that runs ahead makes no negative age', async () => {
  await addRequest(db, { created_date: ago(-60) })
  expect(await queueDepth(db)).toMatchObject({ queued: 1, oldest_queued_seconds: 0 })
})

test('a long history costs the autoscaler nothing', async () => {
  const { principal, params } = await addRequest(db)
  await sql`
    insert into requests (request_uuid, rq_id, action, target, target_id, params, owner_id, principal, tenant, status)
    select gen_random_uuid(), 'past ' || n, 'export', 'task', 1, ${JSON.stringify(params)}::jsonb, 1,
      ${JSON.stringify(principal)}::jsonb, 'org:1', 'finished'
    from generate_series(1, 5000) n`.execute(db)
  await sql`analyze requests`.execute(db)
  const { rows } = await sql.raw<Record<string, string>>(`explain ${demandQuery}`).execute(db)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).not.toContain('Seq Scan')
})
