import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { addRequest } from '../testing/rows.ts'
import { queueDepth } from './metrics.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
beforeEach(async () => {
  await sql`truncate requests, tenant_turns cascade`.execute(db)
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

/**
 * Query of the autoscaler in the Helm chart. The demand is `queued + started`; divided by the slots per worker it gives
 * the number of workers.
 */
const demandQuery = 'select demand from requests.queue_depth'

/** Reads the metric as KEDA does: the only column of the only row. */
async function demand() {
  const { rows } = await sql.raw<{ demand: number }>(demandQuery).execute(db)
  expect(rows.length).toBe(1)
  return rows[0]?.demand
}

test('the demand of an empty queue is 0', async () => {
  expect(await queueDepth(db)).toEqual({ queued: 0, started: 0, oldest_queued_seconds: 0 })
  expect(await demand()).toBe(0)
})

test('queued and started requests count over all tenants, ended ones do not', async () => {
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

test('a request that waits for its next attempt counts as demand', async () => {
  await addRequest(db, { not_before_date: new Date(Date.now() + 60_000) })
  expect(await demand()).toBe(1)
})

test('a creation date in the future does not yield a negative age', async () => {
  await addRequest(db, { created_date: ago(-60) })
  expect(await queueDepth(db)).toMatchObject({ queued: 1, oldest_queued_seconds: 0 })
})

test('a long history does not slow down the query of the autoscaler', async () => {
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
