import { randomBytes } from 'node:crypto'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bucketOf } from '../../support/buckets.ts'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { annotationFile, createBitmap } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Exports, imports and backups through cloud storages. */

const store = await startS3()
let reticle: ServerUnderTest
let api: ApiClient
let task: AnyJson
let storage: AnyJson
const { newPerson } = createUserFactory(() => reticle)
const bucket = () => store.buckets.get('exchange') ?? expect.fail('the bucket is gone')
const coco = 'format=COCO%201.0'
const there = (id: number = storage.id) => `${coco}&location=cloud_storage&cloud_storage_id=${id}`

beforeAll(async () => {
  reticle = await shareReticle()
  api = reticle.admin
  const connected = bucketOf(store, 'exchange')
  storage = await api.done('POST', '/cloudstorages', { json: connected })
  task = await newTask()
})
afterAll(async () => {
  await store.close()
})

async function newTask(): Promise<AnyJson> {
  const made = await taskWithMedia(api)
  const { results } = await api.done('GET', `/labels?task_id=${made.id}`)
  const shapes = [rectangle(results[0].id)]
  await api.done('PUT', `/tasks/${made.id}/annotations`, { json: { shapes } })
  return made
}
const shapesOf = async (id: number) =>
  (await api.done('GET', `/tasks/${id}/annotations`)).shapes.length
const exported = async (query: string, id: number = task.id) =>
  api.finished(await api.done('POST', `/tasks/${id}/dataset/export?${query}`))
const imported = async (query: string, id: number, what = 'tasks') => {
  const { rq_id } = await api.done('POST', `/${what}/${id}/annotations/?${query}`)
  return api.ended(rq_id)
}
const refused = async (path: string, by: ApiClient = api) => {
  const { status, body } = await by.call('POST', path)
  return [status, body]
}
const download = (rq_id: string) =>
  api.call('GET', `/tasks/${task.id}/dataset/download?rq_id=${encodeURIComponent(rq_id)}`)

test('an export to a bucket is stored under its key and equals the downloaded file', async () => {
  const sent = await exported(`${there()}&filename=out%2Fa.zip`)
  expect(sent).toMatchObject({ status: 'finished', result_url: null, progress: 1 })
  const { status, body } = await download(sent.id)
  expect([status, body]).toEqual([
    400,
    ['The export process has no result file to be downloaded locally'],
  ])
  const { result_url } = await exported(`${coco}&location=local`)
  const here = await api.bytes(result_url)
  expect(bucket().get('out/a.zip')).toEqual(here.bytes)
})

test('a cached export is also copied to the bucket, under its default name', async () => {
  bucket().clear()
  const [job] = await jobsOf(api, task.id)
  const url = `/jobs/${job.id}/dataset/export?`
  const here = await api.finished(await api.done('POST', `${url}${coco}`))
  const { bytes } = await api.bytes(here.result_url)
  for (const count of [1, 2]) {
    bucket().clear()
    const { result_url } = await api.finished(await api.done('POST', `${url}${there()}`))
    expect([result_url, bucket().size, count]).toEqual([null, 1, count])
    const [[key, sent] = []] = bucket()
    expect(key).toMatch(new RegExp(`^job_${job.id}_annotations_[\\d_]+_coco 1\\.0\\.zip$`))
    expect(sent).toEqual(bytes)
  }
})

test('exports of a task and of its jobs go to the target storage of the task', async () => {
  bucket().clear()
  const { id } = await newTask()
  const target_storage = { location: 'cloud_storage', cloud_storage_id: storage.id }
  await api.done('PATCH', `/tasks/${id}`, { json: { target_storage } })
  expect((await exported(coco, id)).result_url).toBeNull()
  const [job] = await jobsOf(api, id)
  await api.finished(await api.done('POST', `/jobs/${job.id}/dataset/export?${coco}`))
  expect([...bucket().keys()].map((key) => key.split('_')[0])).toEqual(['task', 'job'])
  expect((await exported(`${coco}&location=local`, id)).result_url).toContain('/download')

  const json = { name: 't', read_only: true }
  const { value } = await api.done('POST', '/auth/access_tokens', { json })
  const reading = createApiClient(`${reticle.url}/api`, `Bearer ${value}`)
  const [status] = await refused(`/tasks/${id}/dataset/export?${coco}&filename=x`, reading)
  expect(status).toBe(403)
  expect(bucket().size).toBe(2)
})

test('exports of projects and of events can go to a bucket', async () => {
  bucket().clear()
  const project = await api.done('POST', '/projects', {
    json: { name: 'p', labels: [{ name: 'car' }] },
  })
  await taskWithMedia(api, { project_id: project.id })
  const url = `/projects/${project.id}/dataset/export?${there()}&filename=p.zip&save_images=true`
  await api.finished(await api.done('POST', url))
  const cloudQuery = `location=cloud_storage&cloud_storage_id=${storage.id}`
  await api.finished(await api.done('POST', `/events/export?${cloudQuery}&filename=logs%2Fe.csv`))
  expect([...bucket().keys()]).toEqual(['p.zip', 'logs/e.csv'])
})

test('backups are stored in a bucket under their name, and are restored from there', async () => {
  bucket().clear()
  const cloudQuery = `location=cloud_storage&cloud_storage_id=${storage.id}`
  const json = { name: 'Kept', labels: [{ name: 'car' }] }
  const project = await api.done('POST', '/projects', { json })
  await taskWithMedia(api, { project_id: project.id })
  for (const of of [`projects/${project.id}`, `tasks/${task.id}`]) {
    const started = await api.done('POST', `/${of}/backup/export?${cloudQuery}&lightweight=false`)
    expect((await api.finished(started)).result_url).toBeNull()
    const file = await api.call(
      'GET',
      `/${of}/backup/download?rq_id=${encodeURIComponent(started.rq_id)}`,
    )
    expect([file.status, file.body]).toEqual([
      400,
      ['The export process has no result file to be downloaded locally'],
    ])
  }
  const [first = '', second = ''] = bucket().keys()
  expect(first).toMatch(/^project_kept_backup_[\d_]{19}\.zip$/)
  expect(second).toMatch(/^task_a task_backup_[\d_]{19}\.zip$/)

  const restored = async (of: string, key: string) =>
    api.finished(await api.done('POST', `/${of}/backup/?${cloudQuery}&filename=${key}`))
  const { result_id } = await restored('projects', first)
  expect(await api.done('GET', `/projects/${result_id}`)).toMatchObject({
    ...{ name: 'Kept', tasks: { count: 1 } },
  })
  const again = await restored('tasks', second)
  expect(await shapesOf(again.result_id)).toBe(1)
})

test('a backup to or from a storage that the caller cannot use is refused', async () => {
  const { id } = await api.done('POST', '/projects', { json: { name: 'p' } })
  const stranger = await newPerson()
  const own = await stranger.api.done('POST', '/projects', { json: { name: 'p' } })
  const cloudQuery = (given?: number) =>
    `location=cloud_storage${given ? `&cloud_storage_id=${given}` : ''}`
  const unnamed = [400, { cloud_storage_id: ['cloud_storage_id was not provided'] }]
  for (const [mine, theirs] of [
    [`/projects/${id}/backup/export?`, `/projects/${own.id}/backup/export?`],
    ['/projects/backup/?filename=a.zip&', '/projects/backup/?filename=a.zip&'],
    ['/tasks/backup/?filename=a.zip&', '/tasks/backup/?filename=a.zip&'],
  ]) {
    expect(await refused(`${mine}${cloudQuery()}`)).toEqual(unnamed)
    expect((await refused(`${mine}${cloudQuery(999_999)}`))[0]).toBe(404)
    expect((await refused(`${theirs}${cloudQuery(storage.id)}`, stranger.api))[0]).toBe(403)
  }
  expect(await refused(`/projects/backup/?${cloudQuery(storage.id)}`)).toEqual([
    ...[400, ['The filename was not specified']],
  ])
})

test('an export that cannot be written to the bucket is refused or fails with the reason', async () => {
  const start = `/tasks/${task.id}/dataset/export?`
  expect(await refused(`${start}${coco}&location=cloud_storage`)).toEqual([
    400,
    { cloud_storage_id: ['cloud_storage_id was not provided'] },
  ])
  expect((await refused(`${start}${there(999_999)}`))[0]).toBe(404)
  const stranger = await newPerson()
  const own = await taskWithMedia(stranger.api)
  const [status] = await refused(`/tasks/${own.id}/dataset/export?${there()}`, stranger.api)
  expect(status).toBe(403)

  bucket().clear()
  store.sealed.add('exchange')
  const url = `${start}${there()}&filename=a.zip&label_id=1`
  const { rq_id } = await api.done('POST', url)
  expect(await api.ended(rq_id)).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(
      /^"a\.zip" could not be written to the cloud storage "Raw frames" \(exchange\): its credentials have no right/,
    ),
  })
  store.sealed.delete('exchange')
  expect(bucket().size).toBe(0)
})

test('annotations are imported from a named bucket or from the source storage of the task', async () => {
  await exported(`${there()}&filename=in%2Fa.zip`)
  const [into, other] = [await taskWithMedia(api), await taskWithMedia(api)]
  const request = await imported(`${there()}&filename=in%2Fa.zip`, into.id)
  expect(request).toMatchObject({ status: 'finished', report: { created: { shapes: 1 } } })
  expect(await shapesOf(into.id)).toBe(1)

  const source_storage = { location: 'cloud_storage', cloud_storage_id: storage.id }
  await api.done('PATCH', `/tasks/${other.id}`, { json: { source_storage } })
  const [job] = await jobsOf(api, other.id)
  await imported(`${coco}&filename=in%2Fa.zip`, job.id, 'jobs')
  await imported(`${coco}&filename=in%2Fa.zip&import_mode=append`, other.id)
  expect(await shapesOf(other.id)).toBe(2)

  const form = annotationFile('{"images":[],"categories":[],"annotations":[]}', 'a.json')
  await api.finished(await api.done('POST', `/tasks/${other.id}/annotations/?${coco}`, { form }))
  expect(await shapesOf(other.id), 'a file that is sent is what is imported').toBe(0)
})

test('a failed import from a bucket keeps the annotations and names the file', async () => {
  bucket().set('in/bad.zip', Buffer.from('no archive'))
  const start = `/tasks/${task.id}/annotations/?`
  expect(await refused(`${start}${there()}`)).toEqual([400, ['The filename was not specified']])
  expect((await refused(`${start}${there(999_999)}&filename=a`))[0]).toBe(404)
  const stranger = await newPerson()
  const own = await taskWithMedia(stranger.api)
  const url = `/tasks/${own.id}/annotations/?${there()}&filename=in%2Fa.zip`
  expect((await refused(url, stranger.api))[0]).toBe(403)

  expect(await imported(`${there()}&filename=none.zip`, task.id)).toMatchObject({
    status: 'failed',
    message:
      '"none.zip" could not be read from the cloud storage "Raw frames" (exchange): there is no such file.',
  })
  expect(await imported(`${there()}&filename=in%2Fbad.zip`, task.id)).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('in/bad.zip'),
  })
  expect(await shapesOf(task.id)).toBe(1)
})

test('a cancelled export leaves no objects or multipart uploads in the bucket', async () => {
  const noisy = (name: string) => {
    const bytes = createBitmap(1300, 1300)
    randomBytes(bytes.length - 54).copy(bytes, 54)
    return { name, bytes }
  }
  const { id } = await taskWithMedia(api, { files: ['a.bmp', 'b.bmp', 'c.bmp'].map(noisy) })
  bucket().clear()
  store.stalled.add('exchange')
  const url = `/tasks/${id}/dataset/export?${there()}&filename=large.zip&save_images=true`
  const { rq_id } = await api.done('POST', url)
  await vi.waitFor(() => expect(store.unfinished()).toEqual(['large.zip']), { timeout: 60_000 })
  await api.done('POST', `/requests/${encodeURIComponent(rq_id)}/cancel`)
  expect(await api.ended(rq_id)).toMatchObject({ status: 'failed', message: 'Cancelled' })
  await vi.waitFor(() => expect(store.unfinished()).toEqual([]), { timeout: 60_000 })
  store.stalled.delete('exchange')
  expect(bucket().size).toBe(0)
})
