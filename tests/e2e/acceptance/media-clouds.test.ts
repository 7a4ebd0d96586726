import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bucketOf } from '../../support/buckets.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { createImages } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Media in cloud storages. */

const store = await startS3()
let reticle: ServerUnderTest
let api: ApiClient
let storage: AnyJson
const own = await createImages(3)
const bytesOf = (index: number) => own[index]?.bytes ?? Buffer.alloc(0)
const line = (name: string) =>
  JSON.stringify({ name, extension: '.png', width: 321, height: 123, checksum: 'x' })
const objects = {
  'frames/b.png': bytesOf(0),
  'frames/a.png': bytesOf(1),
  'other/c.png': bytesOf(2),
  'frames/manifest.jsonl': ['{"version":"1.1"}', '{"type":"images"}', line('b'), line('a')].join(
    '\n',
  ),
}

beforeAll(async () => {
  reticle = await shareReticle()
  api = reticle.admin
  storage = await api.done('POST', '/cloudstorages', { json: bucketOf(store, 'media', objects) })
})
afterAll(async () => {
  await store.close()
})

const newTask = async (): Promise<number> =>
  (await api.done('POST', '/tasks', { json: { name: 't', labels: [{ name: 'car' }] } })).id

async function attach(json: AnyJson) {
  const id = await newTask()
  const sent = { image_quality: 70, cloud_storage_id: storage.id, ...json }
  const { rq_id } = await api.done('POST', `/tasks/${id}/data`, { json: sent })
  const request = await api.ended(rq_id)
  const { body: meta } = await api.call('GET', `/tasks/${id}/data/meta`)
  return { id, request, meta }
}
const namesOf = (meta: AnyJson) => meta.frames.map(({ name }: AnyJson) => name)
const frame = (id: number, number = 0) =>
  api.call('GET', `/tasks/${id}/data?type=frame&quality=original&number=${number}`)

test('images of a bucket stay there and are read from there', async () => {
  const { id, request, meta } = await attach({ server_files: ['frames/', 'other/c.png'] })
  expect(request).toMatchObject({ status: 'finished' })
  expect(meta).toMatchObject({ storage: 'cloud_storage', cloud_storage_id: storage.id, size: 3 })
  expect(namesOf(meta)).toEqual(['frames/a.png', 'frames/b.png', 'other/c.png'])
  expect((await frame(id)).status).toBe(200)
  const chunk = await api.call('GET', `/tasks/${id}/data?type=chunk&quality=compressed&number=0`)
  expect(chunk.status).toBe(200)
  expect((await api.call('GET', `/tasks/${id}/preview`)).status).toBe(200)
})

test('a manifest sets the order and sizes of images, and a pattern filters it', async () => {
  const given = { server_files: ['frames/manifest.jsonl'], sorting_method: 'predefined' }
  const { meta } = await attach(given)
  expect(namesOf(meta)).toEqual(['frames/b.png', 'frames/a.png'])
  expect(meta.frames[0]).toMatchObject({ width: 321, height: 123 })
  const filtered = await attach({ ...given, filename_pattern: '*/a.*' })
  expect(namesOf(filtered.meta)).toEqual(['frames/a.png'])
})

test('a pattern alone selects keys, and copied media is never read from the bucket again', async () => {
  const { id, meta } = await attach({ filename_pattern: 'frames/?.png', copy_data: true })
  expect(meta).toMatchObject({ storage: 'local', cloud_storage_id: null, size: 2 })
  const kept = store.buckets.get('media')
  store.buckets.set('media', new Map())
  expect((await frame(id, 1)).status).toBe(200)
  if (kept) store.buckets.set('media', kept)
})

test('a missing key is named, and conflicting parameters are refused', async () => {
  const { request } = await attach({ server_files: ['frames/none.png'] })
  expect(request).toMatchObject({
    status: 'failed',
    message: "server_files: 'frames/none.png' is not in the cloud storage, or empty",
  })
  const id = await newTask()
  const refused = async (json: AnyJson) => {
    const answer = await api.call('POST', `/tasks/${id}/data`, { json })
    return [answer.status, Object.keys(answer.body)]
  }
  const server_files = ['frames/a.png']
  expect(await refused({ server_files, filename_pattern: '*' })).toEqual([
    400,
    ['filename_pattern'],
  ])
  expect(await refused({ cloud_storage_id: storage.id })).toEqual([400, ['cloud_storage_id']])
  expect(await refused({ server_files, cloud_storage_id: 999_999 })).toEqual([
    400,
    ['cloud_storage_id'],
  ])
})

test('media of a disconnected bucket is missing until another cloud storage replaces it', async () => {
  const { id } = await attach({ server_files: ['frames/a.png'] })
  const like = await api.done('POST', '/cloudstorages', {
    json: bucketOf(store, 'again', objects),
  })
  const { status } = await api.call('DELETE', `/cloudstorages/${storage.id}`)
  expect(status).toBe(409)
  await api.done('DELETE', `/cloudstorages/${storage.id}?force=true`)
  const missed = await frame(id)
  expect([missed.status, missed.text]).toEqual([409, expect.stringContaining('detached')])
  const json = { cloud_storage_id: like.id }
  const meta = await api.done('PATCH', `/tasks/${id}/data/meta`, { json })
  expect(meta).toMatchObject({ cloud_storage_id: like.id })
  expect((await frame(id)).status).toBe(200)
})
