import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@reticle/kit/observe/log'
import { testClock } from '@reticle/kit/testing/clock'
import { isFullRun } from '@reticle/kit/testing/config'
import { testDatabase } from '@reticle/kit/testing/db'
import { recordScore } from '@reticle/kit/testing/scores'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { queueDepth } from '../requests/metrics.ts'
import { sweepStorage } from '../sweeper.ts'
import { startProcess, type WorkerProcess } from '../testing/processes.ts'
import { addRequest, readRequest, untilRequest } from '../testing/rows.ts'
import { runOf, testStore, uploadFile } from '../testing/run.ts'
import { gateOf, openConverterPorts, tasks } from '../testing/wiring.ts'
import { readWork } from '../work/request-work.ts'
import { runOperation } from './run-operation.ts'

/**
 * Worker processes that share one queue and are killed or frozen. The default run is short; `RETICLE_TEST_FULL=1` runs
 * the full counts and times.
 */
const isFull = isFullRun()
const given = isFull
  ? { workers: 4, exports: 150, imports: 50, kills: 100, pace_ms: 2000, lease: 60 }
  : { workers: 3, exports: 20, imports: 10, kills: 6, pace_ms: 50, lease: 3 }
const longest = isFull ? 30 * 60_000 : 180_000
const patience = { timeout: longest, interval: 100 }
vi.setConfig({ testTimeout: longest })

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
await sql`create table applied (call_id text not null)`.execute(db)
const store = await testStore()
const timing = { leaseSeconds: given.lease, renewMs: (given.lease * 1000) / 4, pollMs: 200 }
const options = { root: store.root, url, timing, pace_ms: given.pace_ms }

const living = new Map<number, WorkerProcess>()
async function startOne(): Promise<WorkerProcess> {
  const started = await startProcess(options)
  living.set(started.pid, started)
  return started
}

async function kill(one: WorkerProcess) {
  living.delete(one.pid)
  await one.kill()
}

/** Starts or kills workers until `count` are running. */
async function haveWorkers(count: number) {
  for (const one of [...living.values()].slice(count)) await kill(one)
  await Promise.all(Array.from({ length: count - living.size }, startOne))
}

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, workers, blobs, uploads, outbox, applied cascade`.execute(
    db,
  )
})
afterAll(() => Promise.all([...living.values()].map(kill)))

/** Returns the process that holds the lease of a request. */
const holderOf = ({ lease_owner }: RequestRow) => living.get(Number(lease_owner?.split('-')[1]))

const until = (row: RequestRow, expected: Partial<RequestRow>) =>
  untilRequest(db, row, expected, patience)

async function untilDrained() {
  await vi.waitFor(
    async () => expect(await queueDepth(db)).toMatchObject({ queued: 0, started: 0 }),
    patience,
  )
  return db.selectFrom('requests').selectAll().orderBy('started_date').execute()
}

async function bytesOf(key: string) {
  const { chunks } = await store.blobs.get(key)
  return buffer(chunks)
}

/** Returns the result that a request makes without disturbance. */
async function undisturbed(row: RequestRow) {
  const { services } = await openConverterPorts({ root: '', pace_ms: 0 })
  const { result } = await runOperation(readWork(row), await runOf(store, services))
  return bytesOf(result?.key ?? '')
}

const coco = JSON.stringify({
  images: [{ id: 1, file_name: 'a.jpg', width: 100, height: 50 }],
  categories: [{ id: 1, name: 'car' }],
  annotations: [
    {
      id: 1,
      image_id: 1,
      category_id: 1,
      iscrowd: 0,
      area: 1,
      bbox: [1, 2, 3, 4],
      segmentation: [],
    },
  ],
})

/** Enough attempts for any number of kills, because the attempt limit is not under test. */
const stubborn = { max_attempts: 1000 }

const addExport = (n: number) => {
  const task_id = tasks.takesTime + n
  return addRequest(db, { task_id, target_id: task_id, created: n, ...stubborn })
}

async function addImport(n: number) {
  const task_id = tasks.takesTime + 500 + n
  const file = await uploadFile(store.blobs, 'a.json', coco)
  const format = 'COCO 1.0'
  const how = { import_mode: 'replace', conv_mask_to_poly: true, if_match: null }
  const params = JSON.stringify({ format, file, ...how })
  const wish = { action: 'import' as const, task_id, target_id: task_id, params }
  return addRequest(db, { ...wish, created: n, ...stubborn })
}

async function countApplied() {
  const { rows } = await sql<{ count: number; calls: number }>`
    select count(*)::int as count, count(distinct call_id)::int as calls from applied`.execute(db)
  return rows[0]
}

test('workers that are killed at random points finish every request once (T-REQ-1)', async () => {
  for (let n = 0; n < given.exports; n++) await addExport(n)
  for (let n = 0; n < given.imports; n++) await addImport(n)
  await haveWorkers(given.workers)

  for (let kills = 0; kills < given.kills; kills++) {
    await sleep(isFull ? 500 : randomInt(100, 400))
    const victim = [...living.values()][randomInt(living.size)]
    if (victim) await kill(victim)
    await startOne()
  }
  const rows = await untilDrained()

  const applied = await countApplied()
  const finished = rows.filter(({ status }) => status === 'finished').length
  const doubled = (applied?.count ?? 0) - (applied?.calls ?? 0)
  recordScore({
    id: 'T-REQ-1',
    on: 'workers alone',
    count: `${given.kills} kills, ${rows.length} requests`,
    seen: `${finished} / ${doubled} / ${rows.length - finished}`,
    holds: finished === rows.length && applied?.count === given.imports && doubled === 0,
  })
  expect(rows.filter(({ status }) => status !== 'finished')).toEqual([])
  const exports = rows.filter(({ action }) => action === 'export')
  expect(exports.length).toBe(given.exports)
  for (const row of exports.slice(0, 20))
    expect(await bytesOf(row.result_key ?? '')).toEqual(await undisturbed(row))
  expect(applied).toEqual({ count: given.imports, calls: given.imports })
  expect(rows.some(({ attempt }) => attempt > 1)).toBe(true)
  const events = await db.selectFrom('outbox').select('type').execute()
  expect(events.length).toBe(rows.length)
  await expectNothingLeft()
})

/** Expects that a month later the object store holds no file of the requests, also not of killed attempts. */
async function expectNothingLeft() {
  const clock = testClock(new Date(Date.now() + 31 * 24 * 3_600_000))
  const limits = { uploadTtlHours: 12, chunkTtlHours: 168 }
  await sweepStorage({ db, blobs: store.blobs, clock, log: silentLog, ...limits })
  const left = []
  for await (const { key } of store.blobs.list('requests/')) left.push(key)
  expect(left).toEqual([])
  expect(await db.selectFrom('blobs').select('key').execute()).toEqual([])
}

test('a request of a killed worker is claimed by another once its lease has ended (T-REQ-2)', async () => {
  await haveWorkers(2)
  const added = await addRequest(db, { task_id: tasks.hangs, target_id: tasks.hangs })
  const first = await until(added, { status: 'started' })
  const holder = holderOf(first)
  if (!holder) throw new Error('no worker holds the lease')

  const killed = performance.now()
  await kill(holder)
  await until(added, { status: 'started', attempt: 2 })
  const seconds = (performance.now() - killed) / 1000
  recordScore({
    id: 'T-REQ-2',
    on: `a lease of ${given.lease} s`,
    count: '1 kill',
    seen: `${seconds.toFixed(1)} s`,
    holds: seconds < given.lease + 5,
  })
  expect(seconds).toBeLessThan(given.lease + 5)
  expect((await readRequest(db, added)).lease_owner).not.toBe(first.lease_owner)
})

test('a worker that was frozen beyond its lease cannot change anything afterwards (T-REQ-5)', async () => {
  await haveWorkers(2)
  const added = await addRequest(db, { task_id: tasks.isPatient, target_id: tasks.isPatient })
  const first = await until(added, { status: 'started' })
  const frozen = holderOf(first)
  if (!frozen) throw new Error('no worker holds the lease')
  frozen.freeze()

  const last = await until(added, { status: 'finished' })
  expect(last).toMatchObject({ attempt: 2 })
  frozen.thaw()
  const late = `requests/results/${first.request_uuid}/${first.lease_token}`
  await vi.waitFor(async () => {
    const [blob] = await db.selectFrom('blobs').select('state').where('key', '=', late).execute()
    expect(blob?.state).toBe('dead')
    await expect(store.blobs.stat(late)).rejects.toMatchObject({ kind: 'not_found' })
  }, patience)

  expect(await readRequest(db, added)).toEqual(last)
  expect(last.result_key).toContain(`/${last.lease_token}`)
  expect(await bytesOf(last.result_key ?? '')).toEqual(await undisturbed(last))
})

test("a tenant's only request starts on the next free slot although another tenant queued many (T-REQ-3)", async () => {
  const slots = 2
  const queued = isFull ? 1000 : 10
  await haveWorkers(slots)
  const of = (tenant: string, task_id: number) => ({ tenant, task_id, target_id: task_id })
  for (let created = 0; created < queued; created++) {
    const task_id = created < slots ? tasks.isGated + created : tasks.takesTime
    await addRequest(db, { ...of('org:1', task_id), created })
  }
  await vi.waitFor(
    async () =>
      expect(await queueDepth(db)).toMatchObject({ queued: queued - slots, started: slots }),
    patience,
  )

  const other = await addRequest(db, { ...of('org:2', tasks.takesTime), created: queued })
  for (let n = 0; n < slots; n++)
    await writeFile(gateOf(join(store.root, 'blobs'), tasks.isGated + n), '')

  await until(other, { status: 'finished' })
  const left = await db.deleteFrom('requests').where('status', '=', 'queued').executeTakeFirst()
  const tenants = (await untilDrained()).map((row) => row.tenant)
  const place = tenants.indexOf('org:2')
  recordScore({
    id: 'T-REQ-3',
    on: `${slots} slots`,
    count: `${queued} queued before`,
    seen: `on slot ${place - slots + 1} that falls free`,
    holds: place === slots,
  })
  expect(place).toBe(slots)
  expect(tenants.length + Number(left.numDeletedRows)).toBe(queued + 1)
})

test('an idle worker exits at once when it is stopped', async () => {
  const worker = await startOne()
  living.delete(worker.pid)
  const asked = performance.now()
  expect(await worker.stop()).toBe(0)
  expect(performance.now() - asked).toBeLessThan(10_000)
})
