import { randomUUID } from 'node:crypto'
import { unavailable } from '@reticle/kit'
import { silentLog } from '@reticle/kit/observe/log'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from './db/migrations/index.ts'
import type { RequestsDb } from './db/schema.ts'
import {
  makeDead,
  makeLive,
  registerDead,
  registerLive,
  registerPending,
} from './storage/repo-objects.ts'
import { insertSession } from './storage/repo-sessions.ts'
import { insertUpload } from './storage/repo-uploads.ts'
import { type StorageSweepDeps, sweepStorage } from './sweeper.ts'
import { addRequest } from './testing/rows.ts'
import { testStore } from './testing/run.ts'
import { insertFiles } from './uploads/files/repo.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs } = await testStore()
const minute = 60_000
const hour = 60 * minute
/** Sweeps with a clock that is ahead by `ms`. */
const sweepAfter = (ms: number, given: Partial<StorageSweepDeps> = {}) =>
  sweepStorage({
    db,
    blobs,
    clock: testClock(new Date(Date.now() + ms)),
    log: silentLog,
    uploadTtlHours: 12,
    chunkTtlHours: 168,
    ...given,
  })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox, sweeps cascade`.execute(db)
  for await (const { key } of blobs.list('requests/')) await blobs.remove(key)
})

const put = (key: string) => blobs.put(key, bytesOf('x'))

async function stored() {
  const keys: string[] = []
  for await (const { key } of blobs.list('requests/')) keys.push(key)
  return keys
}

const upload = { purpose: 'data', target: 'task', target_id: 1, owner_id: 1 } as const

test('an unused upload is removed after twelve hours, with all its files', async () => {
  const { prefix } = await insertUpload(db, upload, null)
  await put(`${prefix}0`)
  await put(`${prefix}1`)
  await sweepAfter(11 * hour)
  expect((await stored()).length).toBe(2)
  await sweepAfter(13 * hour)
  expect(await stored()).toEqual([])
  expect(await db.selectFrom('uploads').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([])
})

test('an upload is removed after its last use plus the lifetime, which may be more than a day', async () => {
  const { prefix } = await insertUpload(db, upload, null)
  await put(`${prefix}0`)
  await db
    .updateTable('uploads')
    .set({ used_date: new Date(Date.now() + 5 * hour) })
    .execute()
  await sweepAfter(16 * hour)
  expect((await stored()).length).toBe(1)
  await sweepAfter(50 * hour, { uploadTtlHours: 48 })
  expect((await stored()).length).toBe(1)
  await sweepAfter(18 * hour)
  expect(await stored()).toEqual([])
})

test('an expired session is removed with its stored files and all its rows', async () => {
  const { upload_id, prefix } = await db
    .transaction()
    .execute((tx) => insertSession(tx, 1, 1, null))
  const file = { file_id: randomUUID(), owner_id: 1, name: 'a', length: 9, offset: 5 }
  await db
    .transaction()
    .execute((tx) => insertFiles(tx, { upload_id, prefix }, [{ ...file, key: `${prefix}f.parts` }]))
  await put(`${prefix}f.parts/0-0`)
  await sweepAfter(13 * hour)
  expect(await stored()).toEqual([])
  for (const table of ['uploads', 'upload_sessions', 'uploaded_files', 'blobs'] as const)
    expect(await db.selectFrom(table).selectAll().execute()).toEqual([])
})

test('dead objects below a live prefix are removed, and the others stay', async () => {
  const { prefix } = await insertUpload(db, upload, null)
  for (const name of ['f.parts/0-0', 'f.parts/1-0', 'g']) await put(`${prefix}${name}`)
  await makeLive(db, prefix)
  await registerDead(db, [`${prefix}f.parts/`])
  await registerDead(db, [`${prefix}f.parts/`])
  await sweepAfter(61 * minute)
  expect(await stored()).toEqual([`${prefix}g`])
})

test('an upload that a request uses stays', async () => {
  const { prefix } = await insertUpload(db, upload, null)
  await put(`${prefix}0`)
  await makeLive(db, prefix)
  await sweepAfter(1000 * hour)
  expect((await stored()).length).toBe(1)
})

test('a result without a reference is removed after a day', async () => {
  const key = 'requests/results/u/1'
  await registerPending(db, { key, kind: 'result' })
  await put(key)
  await sweepAfter(23 * hour)
  expect(await stored()).toEqual([key])
  await sweepAfter(25 * hour)
  expect(await stored()).toEqual([])
})

test('a dead object stays for an hour, so that its readers can finish', async () => {
  const key = 'requests/results/u/1'
  await registerPending(db, { key, kind: 'result' })
  await put(key)
  await makeDead(db, key)
  await sweepAfter(59 * minute)
  expect(await stored()).toEqual([key])
  await sweepAfter(61 * minute)
  expect(await stored()).toEqual([])
})

test('an object that cannot be removed is retried after an hour, the others are removed', async () => {
  const [stuck, other] = ['requests/results/u/1', 'requests/results/u/2']
  for (const key of [stuck, other]) {
    await registerPending(db, { key, kind: 'result' })
    await put(key)
    await makeDead(db, key)
  }
  const remove = async (key: string) => {
    if (key === stuck) throw new Error('not permitted')
    await blobs.remove(key)
  }
  await sweepAfter(61 * minute, { blobs: { ...blobs, remove } })
  expect(await stored()).toEqual([stuck])
  await sweepAfter(2 * hour)
  expect(await stored()).toEqual([stuck])
  await sweepAfter(122 * minute)
  expect(await stored()).toEqual([])
})

test('a file is removed when the last request that shares it has expired', async () => {
  const key = 'requests/results/u/1'
  await registerPending(db, { key, kind: 'result' })
  await makeLive(db, key)
  await put(key)
  const at = (ms: number) => new Date(Date.now() + ms)
  const given = { status: 'finished', result_key: key } as const
  await addRequest(db, { ...given, expiry_date: at(hour) })
  await addRequest(db, { ...given, expiry_date: at(5 * hour) })

  await sweepAfter(2 * hour)
  await sweepAfter(4 * hour)
  expect(await stored()).toEqual([key])
  await sweepAfter(6 * hour) // marked as dead; by the clock of the database an hour has not passed
  await sweepAfter(8 * hour)
  expect(await stored()).toEqual([])
})

test('an expired file is remembered for thirty days', async () => {
  const expiry_date = new Date()
  await addRequest(db, { status: 'failed', expiry_date })
  const count = async () => (await db.selectFrom('requests').select('rq_id').execute()).length
  await sweepAfter(29 * 24 * hour)
  expect(await count()).toBe(1)
  await sweepAfter(31 * 24 * hour)
  expect(await count()).toBe(0)
})

test('of two concurrent sweeps one does all the work and the other returns', async () => {
  for (let n = 0; n < 20; n++) {
    const key = `requests/results/u/${n}`
    await registerPending(db, { key, kind: 'result' })
    await put(key)
  }
  const outcomes = await Promise.all([sweepAfter(25 * hour), sweepAfter(25 * hour)])
  expect(outcomes.sort()).toEqual([false, true])
  expect(await stored()).toEqual([])
  expect(await sweepAfter(25 * hour)).toBe(true)
})

describe('objects without a row', () => {
  const orphan = 'requests/results/gone/1'

  test('are removed when they are two days old; objects of any registered key or prefix stay', async () => {
    await put(orphan)
    await registerLive(db, { key: 'requests/frames/7/', kind: 'frames' })
    await put('requests/frames/7/1/0-preview.png')
    await registerLive(db, { key: 'requests/results/u/1', kind: 'result' })
    await put('requests/results/u/1')
    await put('elsewhere/1')
    const known = ['requests/frames/7/1/0-preview.png', 'requests/results/u/1']

    await sweepAfter(47 * hour)
    expect(await stored()).toEqual([known[0], orphan, known[1]])
    await sql`truncate sweeps`.execute(db)
    await sweepAfter(49 * hour)
    expect(await stored()).toEqual(known)
    expect((await blobs.stat('elsewhere/1')).size).toBe(1)
  })

  test('are searched once a week', async () => {
    await sweepAfter(100 * hour)
    await put(orphan)
    await sweepAfter((100 + 7 * 24 - 1) * hour)
    expect(await stored()).toEqual([orphan])
    await sweepAfter((100 + 7 * 24) * hour)
    expect(await stored()).toEqual([])
  })
})

test('rows are swept while the object store is unreachable, and objects when it is back', async () => {
  await registerPending(db, { key: 'requests/results/u/1', kind: 'result' })
  await put('requests/results/u/1')
  await db
    .insertInto('inbox')
    .values({ consumer: 'c', event_id: randomUUID(), received_date: new Date(0) })
    .execute()
  const away = { ...blobs, remove: () => Promise.reject(unavailable('away')) }
  await expect(sweepAfter(25 * hour, { blobs: away })).rejects.toMatchObject({
    kind: 'unavailable',
  })
  expect(await db.selectFrom('inbox').selectAll().execute()).toEqual([])
  expect((await stored()).length).toBe(1)
  await sweepAfter(25 * hour)
  expect(await stored()).toEqual([])
})

test('an aborted sweep ends, and the next one continues', async () => {
  for (const key of ['requests/results/u/1', 'requests/results/u/2']) {
    await registerPending(db, { key, kind: 'result' })
    await put(key)
  }
  const end = new AbortController()
  const remove = async (key: string) => {
    end.abort()
    await blobs.remove(key)
  }
  const stopped = sweepAfter(25 * hour, { blobs: { ...blobs, remove }, signal: end.signal })
  await expect(stopped).rejects.toThrow('aborted')
  expect((await stored()).length).toBe(1)
  await sweepAfter(25 * hour)
  expect(await stored()).toEqual([])
})

test('a chunk that was not used for a week is removed with its object, and can be made again', async () => {
  const key = 'requests/chunks/7/one'
  await registerLive(db, { key, kind: 'frames', task_id: 7 })
  await put(key)
  const row = { task_id: 7, name: '1-0-2-q70', data_revision: 1, object_key: key }
  await db.insertInto('chunks').values(row).execute()
  await sweepAfter(167 * hour)
  expect(await stored()).toEqual([key])
  await sweepAfter(169 * hour)
  expect(await db.selectFrom('chunks').selectAll().execute()).toEqual([])
  await sweepAfter(171 * hour)
  expect(await stored()).toEqual([])
})
