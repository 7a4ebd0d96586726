import { encodeFrame } from '@reticle/contracts/frame-lines'
import { factsOf } from '@reticle/contracts/testing/records'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { unavailable } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { openChunks } from '../../media/chunks/open.ts'
import { createImageDecoder } from '../../media/frames/decode.ts'
import { addChunk } from '../../storage/repo-chunks.ts'
import { registerPending } from '../../storage/repo-objects.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { framesOfTasks, locatedChunk, photo, storedFrame } from '../../testing/chunks.ts'
import { createWork, runOf, testStore, uploadFile } from '../../testing/run.ts'
import { authorityOf, bytesAnswer, servicesOf } from '../../testing/services.ts'
import { firstChunkKey } from '../../work/result-key.ts'
import { runOperation } from '../../worker/run-operation.ts'
import { withFirstChunk } from './first-chunk.ts'

/** The first chunk is made when media has been prepared, because clients request it next. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const store = await testStore()
const { blobs } = store
const outcome = { report: null, result: null, result_id: 1 }
const frames = [await storedFrame(blobs, await photo(8)), await storedFrame(blobs, await photo(9))]
const located = locatedChunk({ stop: 1 })
const media = {
  locateChunk: async () => located,
  readFrames: async () => bytesAnswer(frames.map(encodeFrame)),
}

test('the first chunk is made of the frames of the task, below a key of the attempt', async () => {
  const work = createWork({})
  const run = await runOf(store, servicesOf({ media }))
  const { chunk, ...rest } = await withFirstChunk(work, run, outcome)
  expect(rest).toEqual(outcome)
  expect(chunk).toMatchObject({ key: firstChunkKey(work), name: '1-0-1-q70', data_revision: 1 })
  const bytes = await gatherBytes((await blobs.get(chunk?.key ?? '')).chunks)
  expect(bytes.length).toBe(chunk?.size)
  expect([...(await openZip(sourceOf(bytes))).files.keys()]).toEqual(['000000.jpeg', '000001.jpeg'])
})

test('the first chunk equals the requested chunk, which is not made again', async () => {
  const work = createWork({})
  const { chunk } = await withFirstChunk(work, await runOf(store, servicesOf({ media })), outcome)
  if (!chunk) throw new Error('there is no chunk')
  const { key: object_key, name, data_revision, size, checksum } = chunk
  await registerPending(db, { key: object_key, kind: 'frames', task_id: 1 })
  const stored = { object_key, size, checksum }
  await db.transaction().execute((tx) => addChunk(tx, { task_id: 1, name, data_revision }, stored))
  const asked = framesOfTasks()
  const chunks = openChunks({ db, blobs, decode: createImageDecoder(), media: asked.media })
  const wanted = { ...located, quality: 'compressed' as const }
  const opened = await chunks.open(wanted, callAs({ user_id: 1 }))
  expect([opened.size, opened.checksum, asked.reads]).toEqual([size, checksum, []])
})

test('a preparation of media makes the first chunk', async () => {
  const files = [await uploadFile(blobs, 'a.jpg', await photo(8))]
  const authority = { target: 'task', id: 1, user_id: 1, facts: factsOf({ task_id: 1 }) } as const
  const attachMedia = async () => ({ size: 1, jobs: 1 })
  const services = servicesOf({ tasks: authorityOf([authority]), media: { ...media, attachMedia } })
  const { chunk } = await runOperation(createWork({ files }), await runOf(store, services))
  expect(chunk).toMatchObject({ name: '1-0-1-q70' })
})

test('media is prepared without a first chunk that cannot be made', async () => {
  const readFrames = async () => {
    throw unavailable('away')
  }
  const run = await runOf(store, servicesOf({ media: { ...media, readFrames } }))
  expect(await withFirstChunk(createWork({}), run, outcome)).toEqual(outcome)
})

test('an attempt that lost its lease ends', async () => {
  const abort = new AbortController()
  const locateChunk = async () => {
    abort.abort(unavailable('taken away'))
    return located
  }
  const services = servicesOf({ media: { ...media, locateChunk } })
  const run = await runOf(store, services, { signal: abort.signal })
  await expect(withFirstChunk(createWork({}), run, outcome)).rejects.toThrow('taken away')
})
