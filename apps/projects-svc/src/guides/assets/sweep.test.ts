import { unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { silentLog } from '@reticle/kit/observe/log'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testClock } from '@reticle/kit/testing/clock'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { handlers } from '../../server.ts'
import { createUploader, keysIn, pdfFile } from '../../testing/assets.ts'
import { addReview } from '../../testing/review.ts'
import { testWorkspace } from '../../testing/workspace.ts'
import { sweepAssets } from './sweep.ts'

/** Sweep of stored objects after crashes (T-GC-1). */

const { db, blobs, addUser, over } = await testWorkspace()
const services = over('in-process')
const anna = await addUser()
const { project_id } = await addReview(services, anna)
const { id: guide_id } = await services.guides.createGuide({ body: { project_id } }, anna.call)

const hourMs = 3_600_000
const sweepAfter = (hours: number, store: BlobStore = blobs) => {
  const clock = testClock(new Date(Date.now() + hours * hourMs))
  return sweepAssets({ db, blobs: store, clock, log: silentLog })
}
const known = async () =>
  (await db.selectFrom('blobs').select('key').execute()).map((one) => one.key)
const upload = createUploader(services, blobs)

beforeEach(async () => {
  await sql`truncate assets, blobs, sweeps`.execute(db)
  for await (const { key } of blobs.list('projects/')) await blobs.remove(key)
})

/** Builds the service with `store` functions that crash. */
function crashingOn(store: Partial<BlobStore>) {
  const settings = readConfig({})
  return handlers({ db, blobs: { ...blobs, ...store }, clock: systemClock, settings })
}
const crash = new Error('the process ended')

test('an asset keeps its object, and its upload is deleted within two hours', async () => {
  const { uuid } = await upload(guide_id, pdfFile, anna.call)
  const { key } = await services.guides.getAssetFile({ uuid }, anna.call)
  await sweepAfter(2)
  expect([await keysIn(blobs), await known()]).toEqual([[key], [key]])
  await sweepAfter(10_000)
  expect([await keysIn(blobs), await known()]).toEqual([[key], [key]])
})

test('an abandoned upload is deleted after a day', async () => {
  const { prefix } = await services.guides.openAssetUpload({}, anna.call)
  await blobs.put(`${prefix}0`, bytesOf('x'))
  await sweepAfter(23)
  expect(await keysIn(blobs)).toEqual([`${prefix}0`])
  await sweepAfter(25)
  expect([await keysIn(blobs), await known()]).toEqual([[], []])
})

test.each([
  ['before its object is written', { put: () => Promise.reject(crash) }],
  [
    'after its object is written and before its row is',
    {
      put: async (...given: Parameters<BlobStore['put']>) => {
        await blobs.put(...given)
        throw crash
      },
    },
  ],
])('objects left by a crash %s are deleted a day later', async (_, store) => {
  const { guides } = crashingOn(store)
  await expect(createUploader({ guides }, blobs)(guide_id, pdfFile, anna.call)).rejects.toThrow(
    crash,
  )
  expect((await known()).length).toBe(2)
  await sweepAfter(25)
  expect([await keysIn(blobs), await known()]).toEqual([[], []])
  expect(await db.selectFrom('assets').selectAll().execute()).toEqual([])
})

test('the object of a deleted asset is kept for an hour for running downloads', async () => {
  const { uuid } = await upload(guide_id, pdfFile, anna.call)
  const { key } = await services.guides.getAssetFile({ uuid }, anna.call)
  await services.guides.deleteAsset({ uuid }, anna.call)
  await sweepAfter(0)
  expect(await keysIn(blobs)).toContain(key)
  await sweepAfter(2)
  expect([await keysIn(blobs), await known()]).toEqual([[], []])
})

test('unregistered objects of this service are deleted after two days', async () => {
  await blobs.put('projects/org/1/assets/gone', bytesOf('x'))
  await blobs.put('requests/other', bytesOf('x'))
  await sweepAfter(47)
  expect(await keysIn(blobs)).toEqual(['projects/org/1/assets/gone'])
  await sql`truncate sweeps`.execute(db)
  await sweepAfter(49)
  expect(await keysIn(blobs)).toEqual([])
  expect((await blobs.stat('requests/other')).size).toBe(1)
})

test('rows are kept while the object store is unavailable, and swept afterwards', async () => {
  const { uuid } = await upload(guide_id, pdfFile, anna.call)
  await services.guides.deleteAsset({ uuid }, anna.call)
  const remove = () => Promise.reject(unavailable('away'))
  const away = { ...blobs, remove, removePrefix: remove }
  await expect(sweepAfter(2, away)).rejects.toMatchObject({ kind: 'unavailable' })
  expect((await known()).length).toBe(2)
  await sweepAfter(2)
  expect([await keysIn(blobs), await known()]).toEqual([[], []])
})
