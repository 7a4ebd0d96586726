import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@reticle/kit/observe/log'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { addRequest, readRequest } from '../testing/rows.ts'
import { claimRequest } from './leases/repo-claims.ts'
import { type RunningRequests, watchRunningRequests } from './running-requests.ts'
import { recoverAbandoned } from './start.ts'
import { defaultTiming } from './timing.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
let running: RunningRequests
let row: RequestRow
beforeEach(async () => {
  await sql`truncate requests, tenant_turns, workers, blobs, outbox cascade`.execute(db)
  // Fakes only the clock of the worker; the timers of the database connections stay real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  running = watchRunningRequests({ db, log: silentLog }, defaultTiming)
  await addRequest(db)
  row = (await claimAs('first')) ?? expect.fail('no request was claimed')
})
afterEach(() => {
  running.close()
  vi.useRealTimers()
})

const claimAs = (worker: string) => claimRequest(db, { worker, tenantConcurrency: 4 })

/** Advances the clock of the worker, and ends leases earlier, because the clock of the database cannot be set. */
async function later(seconds: number) {
  await sql`update requests set lease_until = lease_until - make_interval(secs => ${seconds})
    where status = 'started'`.execute(db)
  await vi.advanceTimersByTimeAsync(seconds * 1000)
}

const secondsLeft = async () =>
  (Number((await readRequest(db, row)).lease_until) - Date.now()) / 1000

/** Does what every other worker does each two seconds. */
async function another() {
  await recoverAbandoned(db, 24)
  return claimAs('another')
}

const stepSeconds = 10
const minutes = 30

test('a conversion of half an hour is started once because its lease is renewed (T-REQ-7)', async () => {
  const held = running.add(row)
  for (let step = 0; step < (minutes * 60) / stepSeconds; step++) {
    if (step % 30 === 0) running.moved(held)
    await later(stepSeconds)
    // A renewal is due. It may be running, or a slow check delayed it to the next interval.
    while ((await secondsLeft()) < 35) {
      await sleep(5)
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(await another()).toBeUndefined()
  }
  expect(held.abort.signal.aborted).toBe(false)
  expect(await readRequest(db, row)).toMatchObject({
    status: 'started',
    attempt: 1,
    lease_owner: 'first',
    lease_token: row.lease_token,
  })
})

test('a request without renewals is claimed by another worker after a minute', async () => {
  await later(20)
  expect(await another()).toBeUndefined()
  await later(41)
  expect(await another()).toMatchObject({ attempt: 2, lease_owner: 'another' })
})

test('a cancelled request is stopped within a second', async () => {
  const held = running.add(row)
  await sql`update requests set status = 'failed'`.execute(db)
  await vi.advanceTimersByTimeAsync(1000)
  while (!held.abort.signal.aborted) await sleep(5)
  expect(held.reason).toBe('lost')
})
