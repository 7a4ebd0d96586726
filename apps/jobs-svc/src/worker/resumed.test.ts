import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { stepBytes } from '@reticle/kit/blob/blob'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testDatabase } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { failLocked } from '../requests/repo-ending.ts'
import { startProcess, type WorkerProcess } from '../testing/processes.ts'
import { addRequest, blobState, readRequest, untilRequest } from '../testing/rows.ts'
import { runOf, testStore } from '../testing/run.ts'
import { images, openConverterPorts, readsOf, tasks } from '../testing/wiring.ts'
import { parseStoredCheckpoint } from '../work/checkpoint.ts'
import { readWork } from '../work/request-work.ts'
import { runOperation } from './run-operation.ts'

/**
 * Resumed exports whose workers are killed, frozen or cancelled. See
 * docs/adr/0029-continue-long-exports-from-a-checkpoint.md.
 */
vi.setConfig({ testTimeout: 180_000 })
const patience = { timeout: 90_000, interval: 20 }

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
const store = await testStore()
const blobsRoot = join(store.root, 'blobs')
for (let n = 0; n < images.count; n++)
  await store.blobs.put(images.key(n), bytesOf(randomBytes(images.bytes)))

const lease = { leaseSeconds: 3, renewMs: 750, pollMs: 200 }
const timing = { ...lease, checkpoints: { afterMs: 0, everyMs: 0 } }
const living = new Map<number, WorkerProcess>()
async function startOne(): Promise<WorkerProcess> {
  const one = await startProcess({ root: store.root, url, timing, pace_ms: 100 })
  living.set(one.pid, one)
  return one
}
const holderOf = ({ lease_owner }: RequestRow) => living.get(Number(lease_owner?.split('-')[1]))

afterAll(() => Promise.all([...living.values()].map((one) => one.kill())))
beforeEach(async () => {
  await Promise.all([...living.values()].map((one) => one.kill()))
  living.clear()
  await sql`truncate requests, tenant_turns, workers, blobs, uploads, outbox cascade`.execute(db)
  await rm(readsOf(blobsRoot), { force: true })
})

const params = JSON.stringify({ format: 'COCO 1.0', save_images: true, filename: 'a.zip' })
const addExport = () =>
  addRequest(db, { task_id: tasks.hasImages, target_id: tasks.hasImages, params })

async function bytesAt(key: string | null) {
  const { chunks } = await store.blobs.get(key ?? '')
  return buffer(chunks)
}

async function undisturbed(row: RequestRow) {
  const { services } = await openConverterPorts({ root: blobsRoot, pace_ms: 0 })
  const fresh = readWork({ ...row, checkpoint: null, lease_token: row.lease_token + 1_000_000 })
  const { result } = await runOperation(fresh, await runOf(store, services))
  return bytesAt(result?.key ?? '')
}

const reads = async () => (await readFile(readsOf(blobsRoot), 'utf8')).trim().split('\n')
const imagesIn = (bytes: number) => Math.floor(bytes / images.bytes)

/** Starts an export and waits until it has stored `steps` checkpoints. */
async function underWay(steps: number) {
  const added = await addExport()
  await vi.waitFor(async () => {
    const { size = 0 } = parseStoredCheckpoint((await readRequest(db, added)).checkpoint) ?? {}
    expect(size).toBeGreaterThanOrEqual(steps * stepBytes)
  }, patience)
  const row = await readRequest(db, added)
  const holder = holderOf(row)
  if (!holder) throw new Error('no worker holds the lease')
  return { row, holder }
}

async function membersKept() {
  const rows = await db.selectFrom('checkpoint_members').selectAll().execute()
  return rows.length
}

test('an export whose worker is killed is resumed without reading its stored part again', async () => {
  await startOne()
  const { row, holder } = await underWay(2)
  living.delete(holder.pid)
  await holder.kill()
  const { checkpoint } = await readRequest(db, row)
  const stored = parseStoredCheckpoint(checkpoint)?.size ?? 0
  const before = (await reads()).length
  expect(await membersKept()).toBeGreaterThan(0)
  await startOne()

  const last = await untilRequest(db, row, { status: 'finished' }, patience)

  expect(last).toMatchObject({ attempt: 2, checkpoint: null, progress: 1 })
  expect(last.result_key).toContain(`/${row.lease_token}`)
  expect(await blobState(db, last.result_key ?? '')).toBe('live')
  const again = (await reads()).slice(before)
  expect(again.length).toBeLessThanOrEqual(images.count - imagesIn(stored) + 1)
  expect(again).not.toContain(images.key(0))
  expect((await bytesAt(last.result_key)).equals(await undisturbed(last))).toBe(true)
  expect(await membersKept()).toBe(0)
})

test('a frozen worker that wakes up harms neither the resumed export nor its result', async () => {
  await startOne()
  const { row, holder } = await underWay(1)
  await startOne()
  holder.freeze()
  await untilRequest(db, row, { status: 'started', attempt: 2 }, patience)
  const before = await readRequest(db, row)
  await vi.waitFor(async () => {
    const { checkpoint } = await readRequest(db, row)
    expect(parseStoredCheckpoint(checkpoint)?.size).toBeGreaterThan(
      parseStoredCheckpoint(before.checkpoint)?.size ?? 0,
    )
  }, patience)

  holder.thaw()
  const last = await untilRequest(db, row, { status: 'finished' }, patience)
  living.delete(holder.pid)
  expect(await holder.stop()).toBe(0)

  expect(last).toMatchObject({
    attempt: 2,
    result_key: expect.stringContaining(`/${row.lease_token}`),
  })
  expect(await readRequest(db, row)).toEqual(last)
  expect(await blobState(db, last.result_key ?? '')).toBe('live')
  expect((await bytesAt(last.result_key)).equals(await undisturbed(last))).toBe(true)
})

test('a cancelled export leaves no state to resume from', async () => {
  await startOne()
  const { row } = await underWay(1)
  const { key = '', ...begun } =
    parseStoredCheckpoint((await readRequest(db, row)).checkpoint) ?? {}
  await db.transaction().execute(async (tx) => {
    await failLocked(tx, await readRequest(tx, row), 'Cancelled', 24)
  })
  await vi.waitFor(async () => expect(await blobState(db, key)).toBe('dead'), patience)
  expect(await membersKept()).toBe(0)
  const from = { size: stepBytes, mark: '', ...begun }
  const attempt = () =>
    store.blobs.putInSteps(key, bytesOf('x'), { from, isDue: () => false, onStored: () => {} })
  await vi.waitFor(() => expect(attempt()).rejects.toThrow('is gone'), patience)
})
