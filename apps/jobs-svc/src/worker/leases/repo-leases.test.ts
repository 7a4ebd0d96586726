import { setTimeout as sleep } from 'node:timers/promises'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { deleteRequest, lockRequest, lockRunningOf, lockTenant } from '../../requests/repo.ts'
import { failLocked } from '../../requests/repo-ending.ts'
import { dropUnusedResult, registerPending } from '../../storage/repo-objects.ts'
import { addRequest, readRequest } from '../../testing/rows.ts'
import { recoverAbandoned } from '../start.ts'
import { claimRequest } from './repo-claims.ts'
import { failRequest, finishFromTwin, finishRequest } from './repo-endings.ts'
import {
  enterFinal,
  renewLeases,
  reportProgress,
  requeueLater,
  requeueUnfinished,
  stillHeld,
} from './repo-leases.ts'
import { forgetWorker, noteWorker } from './repo-workers.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const usual = { worker: 'w', tenantConcurrency: 4 }
const take = (given: Partial<typeof usual> = {}) => claimRequest(db, { ...usual, ...given })
const nothing = { report: null, result: null, result_id: null }

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, workers, blobs, uploads, outbox cascade`.execute(db)
})

const letLeaseEnd = (request_uuid: string) =>
  db
    .updateTable('requests')
    .set({ lease_until: sql<Date>`now() - interval '1 second'` })
    .where('request_uuid', '=', request_uuid)
    .execute()

test('a claim starts the oldest request with a lease of one minute', async () => {
  await addRequest(db, { created: 2 })
  const first = await addRequest(db, { created: 1 })

  const row = await take()

  expect(row).toMatchObject({ request_uuid: first.request_uuid, status: 'started', attempt: 1 })
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from lease_until - now())::int as left from requests where status = 'started'`.execute(
    db,
  )
  expect(rows[0]?.left).toBeGreaterThan(55)
})

test('a concurrent claim and cancellation do not deadlock', async () => {
  const { tenant, rq_id } = await addRequest(db)
  let claimed: ReturnType<typeof take> | undefined

  await db.transaction().execute(async (tx) => {
    await lockTenant(tx, tenant)
    claimed = take()
    await sleep(100)
    const row = await lockRequest(tx, rq_id)
    if (row) await failLocked(tx, row, 'Cancelled', 24)
  })

  expect(await claimed).toBeUndefined()
})

test('a claim of an ended request and a deletion over several tenants do not deadlock', async () => {
  const gone = await addRequest(db, { tenant: 'org:2' })
  const next = await addRequest(db, { tenant: 'org:1' })
  await sql`update tenant_turns set last_claimed_date = now() where tenant = 'org:1'`.execute(db)
  let claimed: ReturnType<typeof take> | undefined
  let deleting: Promise<void> | undefined

  await db.transaction().execute(async (tx) => {
    await lockTenant(tx, gone.tenant)
    claimed = take()
    await sleep(100)
    deleting = db.transaction().execute(async (other) => {
      for (const tenant of ['org:1', 'org:2']) await lockTenant(other, tenant)
    })
    await sleep(100)
    const row = await lockRequest(tx, gone.rq_id)
    if (row) await failLocked(tx, row, 'Cancelled', 24)
  })

  await deleting
  expect(await claimed).toMatchObject({ request_uuid: next.request_uuid })
})

test('lease renewal and a deletion of several requests do not deadlock', async () => {
  const first = '00000000-0000-4000-8000-000000000001'
  const last = 'f0000000-0000-4000-8000-000000000002'
  await addRequest(db, { request_uuid: last, created: 1 })
  await addRequest(db, { request_uuid: first, rq_id: 'first', created: 2 })
  const leases = [await take(), await take()].flatMap((row) => row ?? [])
  let renewed: ReturnType<typeof renewLeases> | undefined

  await db.transaction().execute(async (tx) => {
    await lockRequest(tx, 'first')
    renewed = renewLeases(db, leases)
    await sleep(100)
    await lockRunningOf(tx, { task_id: [1] })
  })

  expect(await renewed).toEqual(new Set([first, last]))
})

test('an empty queue yields no claim', async () => {
  expect(await take()).toBeUndefined()
})

test('a tenant with one request waits for at most one request of a tenant with many queued (T-REQ-3)', async () => {
  for (let created = 0; created < 100; created++) await addRequest(db, { tenant: 'org:1', created })
  await addRequest(db, { tenant: 'org:2', created: 200 })

  const tenants = [(await take())?.tenant, (await take())?.tenant]

  expect(tenants.sort()).toEqual(['org:1', 'org:2'])
})

test('tenants with equally many running requests take turns', async () => {
  for (const tenant of ['org:1', 'org:2', 'org:3'])
    for (let created = 0; created < 3; created++) await addRequest(db, { tenant, created })

  const turns: (string | undefined)[] = []
  for (let turn = 0; turn < 6; turn++) {
    const row = await take()
    if (row) await finishRequest(db, row, nothing, 24)
    turns.push(row?.tenant)
  }

  expect(turns).toEqual(['org:1', 'org:2', 'org:3', 'org:1', 'org:2', 'org:3'])
})

test('a tenant runs no more requests at the same time than its limit', async () => {
  for (let created = 0; created < 3; created++) await addRequest(db, { created })
  expect(await take({ tenantConcurrency: 2 })).toBeDefined()
  expect(await take({ tenantConcurrency: 2 })).toBeDefined()
  expect(await take({ tenantConcurrency: 2 })).toBeUndefined()
})

test('ten concurrent claims take ten different requests', async () => {
  for (let created = 0; created < 10; created++)
    await addRequest(db, { tenant: `org:${created % 3}`, created })
  const taken = await Promise.all(Array.from({ length: 10 }, () => take()))
  expect(new Set(taken.map((row) => row?.request_uuid)).size).toBe(10)
})

test('large requests leave one slot of all living workers free for small ones', async () => {
  await noteWorker(db, 'a', 1)
  await noteWorker(db, 'b', 1)
  for (const created of [1, 2]) await addRequest(db, { size_class: 'large', created })
  const small = await addRequest(db, { created: 3 })

  expect(await take()).toMatchObject({ size_class: 'large' })
  expect(await take()).toMatchObject({ request_uuid: small.request_uuid })
  expect(await take()).toBeUndefined()
  await noteWorker(db, 'c', 1)
  expect(await take()).toMatchObject({ size_class: 'large' })
})

test('a single slot also runs large requests, one after the other', async () => {
  await noteWorker(db, 'a', 1)
  for (const created of [1, 2]) await addRequest(db, { size_class: 'large', created })
  const first = await take()
  expect(first).toBeDefined()
  expect(await take()).toBeUndefined()
  if (first) await finishRequest(db, first, nothing, 24)
  expect(await take()).toBeDefined()
})

test('slots of a stopped or silent worker do not count', async () => {
  for (const worker of ['a', 'b', 'c']) await noteWorker(db, worker, 1)
  await forgetWorker(db, 'b')
  await sql`update workers set seen_date = now() - interval '61 seconds' where worker = 'c'`.execute(
    db,
  )
  for (const created of [1, 2]) await addRequest(db, { size_class: 'large', created })
  expect(await take()).toBeDefined()
  expect(await take()).toBeUndefined()

  await noteWorker(db, 'a', 1)
  expect(await db.selectFrom('workers').select('worker').execute()).toEqual([{ worker: 'a' }])
})

test('a request waits while another makes the same result, then finishes with that file', async () => {
  await addRequest(db, { cache_key: 'k', created: 1, tenant: 'user:1' })
  const later = await addRequest(db, { cache_key: 'k', created: 2, tenant: 'user:2' })
  const first = await take()
  expect(await take()).toBeUndefined()
  if (!first) throw new Error('no request was claimed')
  await finishRequest(
    db,
    first,
    { ...nothing, result: { key: 'requests/results/a/1', size: 7 } },
    24,
  )

  const twin = await take()
  expect(twin?.request_uuid).toBe(later.request_uuid)
  if (!twin) throw new Error('no request was claimed')
  expect(await finishFromTwin(db, twin, 24)).toBe(true)
  expect(await readRequest(db, later)).toMatchObject({
    status: 'finished',
    result_key: 'requests/results/a/1',
    result_size: 7,
    progress: 1,
  })
})

test('a request is not finished from a result file that is deleted at that moment', async () => {
  const key = 'requests/results/a/1'
  await registerPending(db, { key, kind: 'result' })
  await addRequest(db, { cache_key: 'k', created: 1 })
  const later = await addRequest(db, { cache_key: 'k', created: 2 })
  const first = await take()
  if (!first) throw new Error('no request was claimed')
  await finishRequest(db, first, { ...nothing, result: { key, size: 7 } }, 24)
  const twin = await take()
  if (!twin) throw new Error('no request was claimed')
  let finishing: Promise<boolean> | undefined

  await db.transaction().execute(async (tx) => {
    await deleteRequest(tx, first)
    await dropUnusedResult(tx, key)
    finishing = finishFromTwin(db, twin, 24)
    await sleep(100)
  })

  expect(await finishing).toBe(false)
  expect(await readRequest(db, later)).toMatchObject({ status: 'started', result_key: null })
})

test('a worker that lost its lease without noticing cannot write', async () => {
  const { request_uuid } = await addRequest(db)
  const frozen = await take()
  if (!frozen) throw new Error('no request was claimed')
  await letLeaseEnd(request_uuid)
  await recoverAbandoned(db, 24)
  const second = await take()
  expect(second).toMatchObject({ request_uuid, attempt: 2 })

  expect(await renewLeases(db, [frozen])).toEqual(new Set())
  expect(await stillHeld(db, [frozen])).toEqual(new Set())
  if (second) expect(await renewLeases(db, [second])).toEqual(new Set([request_uuid]))
  expect(await enterFinal(db, frozen)).toBe(false)
  expect(
    await finishRequest(db, frozen, { ...nothing, result: { key: 'late', size: 1 } }, 24),
  ).toBe(false)
  expect(await failRequest(db, frozen, 'late', 24)).toBe(false)
  expect(await requeueLater(db, frozen, 10)).toBe(false)
  await requeueUnfinished(db, frozen)
  await reportProgress(db, frozen, { progress: 0.9, stage: 'late' })

  expect(await readRequest(db, { request_uuid })).toMatchObject({
    status: 'started',
    attempt: 2,
    progress: 0,
    stage: '',
    result_key: null,
    lease_token: second?.lease_token,
  })
})

test('a request whose worker is lost three times fails with one sentence and one event', async () => {
  const { request_uuid } = await addRequest(db)
  for (let attempt = 1; attempt <= 3; attempt++) {
    expect(await take()).toMatchObject({ attempt })
    await letLeaseEnd(request_uuid)
    await recoverAbandoned(db, 24)
  }
  expect(await readRequest(db, { request_uuid })).toMatchObject({
    status: 'failed',
    message: 'The worker stopped unexpectedly',
  })
  const events = await db.selectFrom('outbox').select('type').execute()
  expect(events).toEqual([{ type: 'request.finished' }])
})

test('a worker that renews the lease of its last attempt just in time keeps the request', async () => {
  const { request_uuid } = await addRequest(db, { max_attempts: 1 })
  const late = await take()
  if (!late) throw new Error('no request was claimed')
  await letLeaseEnd(request_uuid)
  let recovering: Promise<number> | undefined

  await db.transaction().execute(async (tx) => {
    await lockTenant(tx, late.tenant)
    recovering = recoverAbandoned(db, 24)
    await sleep(100)
    await renewLeases(db, [late])
  })

  await recovering
  expect(await readRequest(db, late)).toMatchObject({ status: 'started' })
})

test('a request with a valid lease is not requeued', async () => {
  await addRequest(db)
  await take()
  expect(await recoverAbandoned(db, 24)).toBe(0)
})

test('a request with a retry delay is not claimed before the delay has passed', async () => {
  await addRequest(db)
  const row = await take()
  if (!row) throw new Error('no request was claimed')
  await requeueLater(db, row, 10)
  expect(await readRequest(db, row)).toMatchObject({ status: 'queued', attempt: 1 })
  expect(await take()).toBeUndefined()
  await sql`update requests set not_before_date = now() - interval '1 s'`.execute(db)
  expect(await take()).toMatchObject({ attempt: 2 })
})

test('a request that its worker gives back has not used up an attempt', async () => {
  await addRequest(db)
  const row = await take()
  if (!row) throw new Error('no request was claimed')
  await requeueUnfinished(db, row)
  expect(await take()).toMatchObject({ attempt: 1 })
})

test('a finished request reports all items as done, although the last progress report named fewer', async () => {
  await addRequest(db)
  const row = await take()
  if (!row) throw new Error('no request was claimed')
  const made = { items_done: 8, items_total: 12, bytes_done: 5 }
  await reportProgress(db, row, { progress: 0.9, stage: 'Reading', ...made })
  await finishRequest(db, row, nothing, 24)
  const all = { items_done: 12, items_total: 12, bytes_done: 5, bytes_total: null }
  expect(await readRequest(db, row)).toMatchObject(all)
})

test('progress never decreases, also over several attempts', async () => {
  await addRequest(db)
  const row = await take()
  if (!row) throw new Error('no request was claimed')
  await reportProgress(db, row, { progress: 0.5, stage: 'half' })
  await reportProgress(db, row, { progress: 0.25, stage: 'quarter' })
  expect(await readRequest(db, row)).toMatchObject({ progress: 0.5, stage: 'quarter' })
})

test('claims stay fast with 11,000 queued requests of 50 tenants', async () => {
  const { principal, params } = await addRequest(db)
  await sql`
    insert into requests (request_uuid, rq_id, action, target, target_id, params, owner_id, principal, tenant, status)
    select gen_random_uuid(), 'many ' || n, 'export', 'task', 1, ${JSON.stringify(params)}::jsonb, 1,
      ${JSON.stringify(principal)}::jsonb, 'org:' || n % 50, 'queued'
    from generate_series(1, 11000) n`.execute(db)
  await sql`analyze requests`.execute(db)
  const started = performance.now()
  for (let n = 0; n < 20; n++) await take()
  expect((performance.now() - started) / 20).toBeLessThan(60) // milliseconds; 2 to 8 on an idle machine
})
