import { createHash } from 'node:crypto'
import { unavailable } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { claimChunk, dropUnusedChunks } from '../../storage/repo-chunks.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { framesOfTasks, locatedChunk, photo, storedFrame } from '../../testing/chunks.ts'
import { blobState } from '../../testing/rows.ts'
import { testStore } from '../../testing/run.ts'
import { createImageDecoder } from '../frames/decode.ts'
import { type ChunkVariant, chunkName } from './name.ts'
import { type ChunkTiming, openChunks } from './open.ts'

/** Chunks are made at the first read, by one of all processes, and kept. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs } = await testStore()
const tasks = framesOfTasks()
const decode = createImageDecoder()
/** Creates the chunks of one process of the service. */
const process = (timing: Partial<ChunkTiming> = {}) =>
  openChunks({ db, blobs, decode, media: tasks.media, timing })
const here = process()
const anna = callAs({ user_id: 1 })
const tooEarly = { kind: 'too_many', code: 'chunk_being_prepared', retry_after: 10 }

let lastTask = 0
/** Creates a task of three pictures, and returns its only chunk. */
async function chunkOf(given: Partial<ChunkVariant> = {}): Promise<ChunkVariant> {
  const task_id = ++lastTask
  const widths = [10, 11, 12]
  tasks.set(task_id, await Promise.all(widths.map(async (w) => storedFrame(blobs, await photo(w)))))
  return { ...locatedChunk({ task_id }), quality: 'compressed', ...given }
}

const rowOf = ({ task_id }: ChunkVariant) =>
  db.selectFrom('chunks').selectAll().where('task_id', '=', task_id).execute()
const readsOf = ({ task_id }: ChunkVariant) => tasks.reads.filter((one) => one === task_id).length
const hashOf = async (chunks: AsyncIterable<Uint8Array>) =>
  createHash('sha256')
    .update(await gatherBytes(chunks))
    .digest('hex')

beforeEach(() => tasks.whenRead(async () => undefined))

test('a chunk is made once for any number of concurrent callers and processes', async () => {
  const chunk = await chunkOf()
  const there = process()
  const all = await Promise.all([here, there, here, there].map((one) => one.open(chunk, anna)))
  const opened = [...all, await here.open(chunk, anna)]
  expect(readsOf(chunk)).toBe(1)
  expect(new Set(await Promise.all(opened.map((one) => hashOf(one.chunks)))).size).toBe(1)
  const { chunks: _, ...chunkHead } = await here.open(chunk, anna)
  expect(new Set(opened.map(({ chunks: __, ...one }) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify(chunkHead)]),
  )
  expect(chunkHead.etag).toBe(`"c${chunk.task_id}-1-0-2-q70-${chunkHead.checksum}"`)
  expect(chunkHead.checksum).toMatch(/^\d+$/)
  const [row] = await rowOf(chunk)
  expect(row).toMatchObject({ size: chunkHead.size, builder: null })
  expect(await blobState(db, row?.object_key ?? '')).toBe('live')
})

test('qualities and revisions are different chunks', async () => {
  const chunk = await chunkOf()
  const tags = new Set<string>()
  for (const given of [{}, { quality: 'original' }, { image_quality: 20 }, { stop: 1 }] as const)
    tags.add((await here.open({ ...chunk, ...given }, anna)).etag)
  expect(tags.size).toBe(4)
  expect(await rowOf(chunk)).toHaveLength(4)
  await here.open({ ...chunk, data_revision: 2 }, anna)
  const rows = await rowOf(chunk)
  expect(rows.map(({ data_revision }) => data_revision)).toEqual([2])
  const dead = await db
    .selectFrom('blobs')
    .select('state')
    .where('task_id', '=', chunk.task_id)
    .where('state', '=', 'dead')
    .execute()
  expect(dead).toHaveLength(4)
})

describe('while a chunk is made', () => {
  /** Blocks readers of frames, until the returned function is called. */
  function heldBack(): () => void {
    let go: () => void = () => undefined
    const until = new Promise<void>((resolve) => {
      go = resolve
    })
    tasks.whenRead(() => until)
    return go
  }

  test('other callers receive a retry time, and the chunk exists later', async () => {
    const chunk = await chunkOf()
    const go = heldBack()
    const there = process({ patienceMs: 50, pollMs: 10 })
    const first = here.open(chunk, anna)
    await expect.poll(() => readsOf(chunk)).toBe(1)
    await expect(there.open(chunk, anna)).rejects.toMatchObject(tooEarly)
    go()
    await first
    expect((await there.open(chunk, anna)).size).toBeGreaterThan(0)
    expect(readsOf(chunk)).toBe(1)
  })

  test('the first caller may leave without stopping it', async () => {
    const chunk = await chunkOf()
    const go = heldBack()
    const there = process({ patienceMs: 50 })
    await expect(there.open(chunk, anna)).rejects.toMatchObject(tooEarly)
    go()
    expect((await process().open(chunk, anna)).size).toBeGreaterThan(0)
    expect(readsOf(chunk)).toBe(1)
  })

  test('its maker renews the lease, so that no other process claims it', async () => {
    const chunk = await chunkOf()
    const go = heldBack()
    const slow = process({ leaseMs: 300 })
    const first = slow.open(chunk, anna)
    await expect.poll(() => readsOf(chunk)).toBe(1)
    const until = async () => (await rowOf(chunk))[0]?.leased_until_date?.getTime() ?? 0
    const begun = await until()
    await expect.poll(until).toBeGreaterThan(begun)
    go()
    await first
  })

  test('a process that stops releases it for others', async () => {
    const chunk = await chunkOf()
    const go = heldBack()
    const there = process()
    const first = there.open(chunk, anna)
    await expect.poll(() => readsOf(chunk)).toBe(1)
    const stopped = there.stop()
    go()
    await expect(first).rejects.toMatchObject({ kind: 'unavailable' })
    await stopped
    expect(await rowOf(chunk)).toEqual([])
    expect((await here.open(chunk, anna)).size).toBeGreaterThan(0)
  })
})

test('a chunk of a dead process is made by another when its lease has ended', async () => {
  const chunk = await chunkOf()
  const builder = '00000000-0000-4000-8000-000000000000'
  const claim = { ...chunk, name: chunkName(chunk), builder }
  expect(await claimChunk(db, claim, 60_000)).toBe(true)
  const other = process({ patienceMs: 50, pollMs: 10 })
  await expect(other.open(chunk, anna)).rejects.toMatchObject(tooEarly)
  await sql`update chunks set leased_until_date = now() - interval '1 second'`.execute(db)
  expect((await here.open(chunk, anna)).size).toBeGreaterThan(0)
})

test('a chunk that cannot be made reports the reason, and the next caller may retry', async () => {
  const chunk = await chunkOf()
  tasks.whenRead(async () => {
    throw unavailable('projects-svc is away')
  })
  await expect(here.open(chunk, anna)).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await rowOf(chunk)).toEqual([])
  tasks.whenRead(async () => undefined)
  expect((await here.open(chunk, anna)).size).toBeGreaterThan(0)
})

test('a chunk whose object is missing is made again, identically', async () => {
  const chunk = await chunkOf()
  const first = await here.open(chunk, anna)
  const before = await hashOf(first.chunks)
  const [row] = await rowOf(chunk)
  await blobs.remove(row?.object_key ?? '')
  const again = await here.open(chunk, anna)
  expect([again.etag, await hashOf(again.chunks)]).toEqual([first.etag, before])
  expect(readsOf(chunk)).toBe(2)
})

test('an unused chunk is dropped, a used one stays', async () => {
  const [unused, used] = [await chunkOf(), await chunkOf()]
  for (const chunk of [unused, used]) await here.open(chunk, anna)
  await sql`update chunks set used_date = now() - interval '3 hours'`.execute(db)
  await here.open(used, anna)
  const [row] = await rowOf(unused)
  await dropUnusedChunks(db, new Date(Date.now() - 7_200_000))
  expect([await rowOf(unused), (await rowOf(used)).length]).toEqual([[], 1])
  expect(await blobState(db, row?.object_key ?? '')).toBe('dead')
})
