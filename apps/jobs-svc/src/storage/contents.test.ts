import { createHash, randomUUID } from 'node:crypto'
import { spreadBytes } from '@reticle/kit/blob/spread'
import { silentLog } from '@reticle/kit/observe/log'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { sweepStorage } from '../sweeper.ts'
import { addRequest } from '../testing/rows.ts'
import { testStore } from '../testing/run.ts'
import { deleteFiles, insertFiles, listFiles } from '../uploads/files/repo.ts'
import { registerContents, shareWithTask } from '../worker/leases/register-contents.ts'
import { deduplicateFiles, removeSpare } from './deduplicate-files.ts'
import { releaseUpload } from './release-contents.ts'
import { useContents } from './repo-contents.ts'
import { makeDead, makeLive, makeTaskDead } from './repo-objects.ts'
import { insertSession } from './repo-sessions.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs } = await testStore()
const hour = 3_600_000

beforeEach(async () => {
  await sql`truncate requests, blobs, uploads, contents, content_uses, sweeps cascade`.execute(db)
  for await (const { key } of blobs.list('requests/')) await blobs.remove(key)
})

async function stored() {
  const keys: string[] = []
  for await (const { key } of blobs.list('requests/')) keys.push(key)
  return keys
}

const swept = () =>
  sweepStorage({
    db,
    blobs,
    log: silentLog,
    uploadTtlHours: 12,
    chunkTtlHours: 168,
    clock: testClock(new Date(Date.now() + 2 * hour)),
  })

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Creates a task whose session has files with these texts by name, and a request that prepares them. */
async function uploaded(task_id: number, texts: Record<string, string>, tenant = 'org:1') {
  const { upload_id, prefix } = await db
    .transaction()
    .execute((tx) => insertSession(tx, task_id, 1, 1))
  const files = Object.entries(texts).map(([name, text]) => ({
    name,
    text,
    key: `${prefix}${randomUUID()}`,
    size: text.length,
    sha256: hashOf(text),
  }))
  for (const { key, text } of files) await blobs.put(key, bytesOf(text))
  await db.transaction().execute((tx) =>
    insertFiles(
      tx,
      { upload_id, prefix },
      files.map(({ name, key, size: length, sha256 }) => ({
        file_id: randomUUID(),
        owner_id: 1,
        name,
        key,
        length,
        offset: length,
        sha256,
      })),
    ),
  )
  const row = await addRequest(db, {
    action: 'create',
    status: 'started',
    tenant,
    input_key: prefix,
    task_id,
    lease_token: 1,
    rq_id: `create ${task_id}`,
  })
  return { upload_id, prefix, files, row, task_id }
}

/** Returns the keys under which the files are kept, in their order. */
async function kept({ row, files }: Awaited<ReturnType<typeof uploaded>>) {
  const keys = await registerContents(db, row, files)
  return files.map(({ key }) => keys?.get(key))
}

/** Marks the upload as media of the task. */
const ended = (task: { prefix: string; task_id: number }) =>
  db
    .transaction()
    .execute((tx) => makeLive(tx, task.prefix, { kind: 'media', task_id: task.task_id }))

describe('a file that the tenant already has', () => {
  test('is read where it was first stored, also for duplicates within one upload', async () => {
    const first = await uploaded(1, { a: 'one', b: 'two', twin: 'one' })
    const [one, two] = first.files.map(({ key }) => key)
    const twins = (await kept(first)).toSorted()
    expect(twins[0] === twins[1] || twins[1] === twins[2]).toBe(true)
    const second = await uploaded(2, { z: 'two', new: 'three' })
    const [found, own] = await kept(second)
    expect([found, own]).toEqual([two, second.files[1]?.key])
    expect([one]).not.toContain(found)
  })

  test('is not found by another tenant', async () => {
    await kept(await uploaded(1, { a: 'one' }))
    const other = await uploaded(2, { a: 'one' }, 'org:2')
    expect(await kept(other)).toEqual([other.files[0]?.key])
  })

  test('is found by size and checksum, also repeatedly', async () => {
    const first = await uploaded(1, { a: 'one' })
    const before = await kept(first)
    expect(await kept(first)).toEqual(before)
    const uses = await db.selectFrom('content_uses').selectAll().execute()
    expect(uses.length).toBe(1)
  })

  test('is not registered by a worker that lost its lease', async () => {
    const { row, files } = await uploaded(1, { a: 'one' })
    const late: RequestRow = { ...row, lease_token: 0 }
    expect(await registerContents(db, late, files)).toBeUndefined()
    expect(await db.selectFrom('contents').selectAll().execute()).toEqual([])
  })

  test('takes the same number of statements among ten thousand as alone', async () => {
    const { row } = await uploaded(1, {})
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      key: `${row.input_key}${at}`,
      size: 3,
      sha256: hashOf(String(at)),
    }))
    let statements = 0
    const counted = db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    expect((await registerContents(counted, row, many))?.size).toBe(10_000)
    expect(statements).toBe(3)
  })
})

describe('a file that was uploaded in pieces', () => {
  test('is read once for its checksum', async () => {
    const prefix = 'requests/uploads/u/'
    const key = `${prefix}f.parts`
    const bytes = Buffer.alloc(spreadBytes + 3, 'x')
    await blobs.put(`${key}/0-0`, bytesOf(bytes.subarray(0, spreadBytes)))
    await blobs.put(`${key}/0-1`, bytesOf(bytes.subarray(spreadBytes)))
    const asked: unknown[] = []
    const { files, spare } = await deduplicateFiles(
      [{ name: 'a.zip', key, size: bytes.length }],
      prefix,
      {
        blobs,
        signal: new AbortController().signal,
        registerContents: async (given) => {
          asked.push(...given)
          return new Map([[key, 'requests/uploads/v/kept']])
        },
      },
    )
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(asked).toEqual([{ key, size: bytes.length, sha256 }])
    expect([files[0]?.key, spare]).toEqual(['requests/uploads/v/kept', [key]])
    await removeSpare({ db, blobs }, spare, new AbortController().signal)
    expect(await stored()).toEqual([])
  })

  test('is not read if it was a known file when it was announced', async () => {
    const known = { name: 'a', key: 'requests/uploads/v/kept', size: 3 }
    const answer = await deduplicateFiles([known], 'requests/uploads/u/', {
      blobs,
      signal: new AbortController().signal,
      registerContents: () => Promise.reject(new Error('unexpected call of registerContents')),
    })
    expect(answer).toEqual({ files: [known], spare: [] })
  })
})

describe('a stored content', () => {
  test('outlives the task that brought it, and is deleted with the last task that uses it', async () => {
    const first = await uploaded(1, { a: 'one', alone: 'two' })
    await kept(first)
    await ended(first)
    const second = await uploaded(2, { b: 'one' })
    const [shared] = await kept(second)
    await ended(second)
    await removeSpare({ db, blobs }, [String(second.files[0]?.key)], AbortSignal.timeout(10_000))

    await makeTaskDead(db, [1])
    await swept()
    expect(await stored()).toEqual([shared])
    await swept()
    expect(await stored()).toEqual([shared])
    await makeTaskDead(db, [2])
    await swept()
    expect(await stored()).toEqual([])
    expect(await db.selectFrom('contents').selectAll().execute()).toEqual([])
    expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([])
  })

  test('is kept until the last of several tasks with this media is deleted', async () => {
    const { row, files, prefix } = await uploaded(1, { archive: 'all' })
    const [key] = await kept({ row, files, prefix, upload_id: '', task_id: 1 })
    const set = { ...row, action: 'import', target: 'project' } as const
    expect(await shareWithTask(db, set, 11)).toBe(true)
    expect(await shareWithTask(db, set, 12)).toBe(true)
    await makeDead(db, prefix) // the import has ended

    await swept()
    expect(await stored()).toEqual([key])
    await makeTaskDead(db, [11])
    await swept()
    expect(await stored()).toEqual([key])
    await makeTaskDead(db, [12])
    await swept()
    await swept()
    expect(await stored()).toEqual([])
    expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([])
  })

  test('is not kept for a task by a worker that lost its lease', async () => {
    const { row } = await uploaded(1, { archive: 'all' })
    expect(await shareWithTask(db, { ...row, lease_token: 0 }, 11)).toBe(false)
  })

  test('is complete when the task that reused it is deleted first', async () => {
    const first = await uploaded(1, { a: 'one' })
    const [own] = await kept(first)
    await ended(first)
    const second = await uploaded(2, { b: 'one' })
    await kept(second)
    await ended(second)
    await makeTaskDead(db, [2])
    await swept()
    expect(await stored()).toEqual([own])
  })

  test('of a replaced file stays if it is used elsewhere, and is deleted otherwise', async () => {
    const first = await uploaded(1, { a: 'one', b: 'two' })
    const [one, two] = await kept(first)
    const second = await uploaded(2, { z: 'one' })
    await kept(second)
    await db.transaction().execute(async (tx) => {
      await deleteFiles(tx, await listFiles(tx, first.upload_id))
    })
    const dead = await db.selectFrom('blobs').select('key').where('state', '=', 'dead').execute()
    expect(dead.map(({ key }) => key)).toEqual([two])
    await makeLive(db, first.prefix)
    await swept()
    expect(await stored()).toContain(one)
    expect(await stored()).not.toContain(two)
  })

  test('of another upload stays when an announced duplicate is deleted', async () => {
    const first = await uploaded(1, { a: 'one' })
    const [one] = await kept(first)
    await ended(first)
    const second = await uploaded(2, {})
    await db.transaction().execute(async (tx) => {
      const keeper = { tenant: 'org:1', prefix: second.prefix }
      const asked = { key: 'asked', size: 3, sha256: hashOf('one') }
      expect((await useContents(tx, keeper, [asked])).get('asked')).toBe(one)
      const file = { file_id: randomUUID(), owner_id: 1, name: 'b' }
      await insertFiles(tx, second, [{ ...file, key: String(one), length: 3, offset: 3 }])
      await deleteFiles(tx, await listFiles(tx, second.upload_id))
    })
    expect(await db.selectFrom('content_uses').select('prefix').execute()).toEqual([
      { prefix: first.prefix },
    ])
    await swept()
    expect(await stored()).toEqual([one])
  })

  test('is either used and kept, or deleted and not found, in any order of transactions', async () => {
    for (let round = 0; round < 20; round++) {
      const first = await uploaded(100 + round, { a: `one ${round}` })
      await kept(first)
      await ended(first)
      await makeTaskDead(db, [first.task_id])
      const others = await Promise.all(
        [200, 300, 400].map((n) => uploaded(n + round, { b: `one ${round}` })),
      )
      const [staying, ...found] = await Promise.all([
        releaseUpload(db, first.prefix),
        ...others.map(kept),
      ])
      const own = String(first.files[0]?.key)
      const isUsed = found.some(([key]) => key === own)
      const known = await db.selectFrom('contents').select('key').execute()
      if (isUsed) expect(staying).toEqual([own])
      for (const [key] of found) expect(known.map((one) => one.key)).toContain(key)
    }
  })

  test('is registered once by concurrent requests, in any order of the files', async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`f${at}`, `text ${at}`]),
    )
    const turned = Object.fromEntries(Object.entries(texts).toReversed())
    const all = await Promise.all([1, 2, 3, 4].map((id) => uploaded(id, id % 2 ? texts : turned)))
    const found = await Promise.all(all.map(kept))
    expect(new Set(found.flat()).size).toBe(50)
  })
})
