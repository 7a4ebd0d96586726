import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { testDatabase } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { startProcess, type WorkerProcess } from '../testing/processes.ts'
import { addRequest, untilRequest } from '../testing/rows.ts'
import { testStore } from '../testing/run.ts'
import { tasks } from '../testing/wiring.ts'

/** Converters of a worker with three slots, as the process table lists them. */

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
const { root } = await testStore()
const patience = { timeout: 90_000, interval: 50 }
vi.setConfig({ testTimeout: 180_000 })
const testOnLinux = test.skipIf(!existsSync('/proc/self/task'))

let worker: WorkerProcess
beforeEach(async () => {
  await sql`truncate requests, tenant_turns, workers, outbox cascade`.execute(db)
  const timing = { leaseSeconds: 60, renewMs: 15_000, pollMs: 50 }
  worker = await startProcess({ root, url, timing, pace_ms: 0, slots: 3 })
})
afterEach(() => worker.kill())

const add = (task_id: number) => addRequest(db, { task_id, target_id: task_id })
const until = (row: RequestRow, expected: Partial<RequestRow>) =>
  untilRequest(db, row, expected, patience)

function convertersOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'))
    .flatMap((text) => text.split(' '))
    .filter((child) => child.trim() !== '')
    .map(Number)
}

testOnLinux(
  'an idle worker has no converter, and one serves requests that come one by one',
  async () => {
    expect(convertersOf(worker.pid)).toEqual([])
    await until(await add(tasks.works), { status: 'finished' })
    const first = convertersOf(worker.pid)
    expect(first.length).toBe(1)
    for (const at of [1, 2, 3, 4, 5])
      await until(await add(tasks.takesTime + at), { status: 'finished' })
    expect(convertersOf(worker.pid)).toEqual(first)
  },
)

testOnLinux.each([
  ['waits', tasks.hangs],
  ['never pauses', tasks.spins],
])(
  'a converter that %s ends with its worker, also when the worker is killed',
  async (_, task_id) => {
    await until(await add(task_id), { status: 'started', stage: 'Reading annotations' })
    const [converter] = convertersOf(worker.pid)
    expect(converter).toBeGreaterThan(0)
    await worker.kill()
    await vi.waitFor(() => expect(existsSync(`/proc/${converter}/status`)).toBe(false), patience)
  },
)

testOnLinux('a worker that stops leaves no converter', async () => {
  await until(await add(tasks.works), { status: 'finished' })
  const [converter] = convertersOf(worker.pid)
  expect(await worker.stop()).toBe(0)
  expect(existsSync(`/proc/${converter}/status`)).toBe(false)
})
