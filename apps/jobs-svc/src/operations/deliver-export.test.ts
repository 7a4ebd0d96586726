import { buffer } from 'node:stream/consumers'
import { notFound, unavailable } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { exportWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { servicesOf } from '../testing/services.ts'
import { storageOf } from '../testing/storages.ts'
import { LeaseLost } from '../work/errors.ts'
import { deliverExport } from './deliver-export.ts'
import type { OperationDeps, OperationServices } from './operation.ts'

const store = await testStore()
const { blobs } = store
const key = 'requests/results/u/1'
const make = async ({ progress }: Pick<OperationDeps, 'progress'>) => {
  progress(1, 'Writing the archive')
  const { size } = await blobs.put(key, bytesOf('the ', 'archive'))
  return { report: null, result: { key, size }, result_id: null }
}
const work = exportWork({ cloud_storage_id: 9, filename: 'a/b.zip' })
type Write = OperationServices['storages']['writeStorageFile']
const writing = (writeStorageFile: Write) => servicesOf({ storages: { writeStorageFile } })

test('the file is written under its key with the permissions of the user, and kept here for others', async () => {
  const { storages, written } = storageOf({})
  const callers: unknown[] = []
  const writeStorageFile: Write = (given, context) => {
    callers.push(given.cloud_storage_id, context.principal)
    return storages.writeStorageFile(given, context)
  }
  const run = await runOf(store, writing(writeStorageFile))
  const outcome = await deliverExport(work, run, make)
  expect(written).toEqual(new Map([['a/b.zip', 'the archive']]))
  expect(callers).toEqual([9, work.principal])
  expect(outcome.result).toEqual({ key, size: 11 })
})

test('a file that another request made is sent unchanged', async () => {
  const { size } = await uploadFile(blobs, 'a', 'made before')
  const { key: result_key } = await uploadFile(blobs, 'a', 'made before')
  const { storages, written } = storageOf({})
  const run = await runOf(store, servicesOf({ storages }))
  const report = null
  const known = { ...work, result_key, result_size: size, report }
  const outcome = await deliverExport(known, run, () => expect.fail('it is made already'))
  expect(written.get('a/b.zip')).toBe('made before')
  expect(outcome).toMatchObject({ result: { key: result_key, size }, report })
})

test('a file without a cloud storage is made, and no storage is called', async () => {
  const run = await runOf(store, servicesOf({}))
  expect((await deliverExport(exportWork(), run, make)).result?.size).toBe(11)
})

test('progress grows over both halves, and reports the bytes', async () => {
  const reported: [number, string, unknown][] = []
  const { storages } = storageOf({})
  const run = await runOf(store, servicesOf({ storages }), {
    progress: (share, stage, amounts) => reported.push([share, stage, amounts]),
  })
  await deliverExport(work, run, make)
  expect(reported).toEqual([
    [0.7, 'Writing the archive', undefined],
    [1, 'Writing to the cloud storage', { bytes_done: 11, bytes_total: 11 }],
  ])
})

test('the lease is checked before the last byte, and a cancelled export leaves no object', async () => {
  let ended = false
  const services = writing(async ({ body }) => {
    await buffer(body)
    ended = true
    return undefined
  })
  const run = await runOf(store, services)
  await deliverExport(work, run, make)
  expect([run.stages.at(-1), ended]).toEqual(['final', true])

  ended = false
  const lost = async () => {
    throw new LeaseLost('The request was taken away')
  }
  const cancelled = await runOf(store, services, { enterFinal: lost })
  await expect(deliverExport(work, cancelled, make)).rejects.toThrow('The request was taken away')
  expect(ended).toBe(false)
})

test('a stopped export waits until its partial object is removed', async () => {
  const stop = new AbortController()
  let left = 'something'
  const services = writing(async ({ body }) => {
    try {
      for await (const _ of body) stop.abort(new LeaseLost('The request was taken away'))
    } catch (thrown) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      left = 'nothing'
      throw thrown
    }
    return undefined
  })
  const run = await runOf(store, services, { signal: stop.signal })
  await expect(deliverExport(work, run, make)).rejects.toMatchObject({ kind: 'unavailable' })
  expect(left).toBe('nothing')
})

test.each([
  notFound('There is no such bucket.'),
  unavailable('The bucket cannot be reached just now.'),
])('an export fails with the error of the storage: $message', async (failure) => {
  const run = await runOf(
    store,
    writing(async () => Promise.reject(failure)),
  )
  await expect(deliverExport(work, run, make)).rejects.toBe(failure)
})
