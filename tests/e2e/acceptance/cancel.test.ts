import { randomBytes } from 'node:crypto'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { bucketOf } from '../../support/buckets.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { createBitmap } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/**
 * Cancels each kind of request while it is queued and while it runs. A request keeps running because it reads from, or
 * writes to, a bucket that has stopped responding.
 */

const store = await startS3()
const { path, remove } = dataDirectory()
let reticle: Reticle
let api: ApiClient
let there: string
const { newPerson } = createUserFactory(() => reticle)
/** Targets of the requests: two tasks whose exports block the worker, a project, and a task without media. */
const ids = { project: 0, task: 0, job: 0, empty: 0, first: 0, second: 0, storage: 0 }

beforeAll(async () => {
  reticle = await startReticle(path, { RETICLE_JOBS_SLOTS: '1' })
  api = (await newPerson()).api
  const storage = await api.done('POST', '/cloudstorages', { json: bucketOf(store, 'silent') })
  there = `location=cloud_storage&cloud_storage_id=${storage.id}&filename=there.zip`
  const json = { name: 'p', labels: [{ name: 'car' }] }
  const project = await api.done('POST', '/projects', { json })
  // Larger than one part of a multipart upload, because a smaller export finishes before it is sent.
  const files = ['a.bmp', 'b.bmp', 'c.bmp'].map(noisy)
  const task = await taskWithMedia(api, { files, project_id: project.id })
  const shapes = [rectangle(project.labels[0].id)]
  await api.done('PUT', `/tasks/${task.id}/annotations`, { json: { shapes } })
  const [job] = await jobsOf(api, task.id)
  const empty = await api.done('POST', '/tasks', { json })
  const [first, second] = [await taskWithMedia(api), await taskWithMedia(api)]
  Object.assign(ids, { project: project.id, task: task.id, job: job.id, empty: empty.id })
  Object.assign(ids, { first: first.id, second: second.id, storage: storage.id })
}, 120_000)
afterAll(async () => {
  await reticle.stop()
  await store.close()
  remove()
})

function noisy(name: string) {
  const bytes = createBitmap(1300, 1300)
  randomBytes(bytes.length - 54).copy(bytes, 54)
  return { name, bytes }
}

const post = (url: string, json?: AnyJson) => api.done('POST', url, { json })
const coco = 'format=COCO%201.0'
/** Starts an export that waits for the blocked bucket and occupies a slot. */
const block = (task: number) => post(`/tasks/${task}/annotations/?${coco}&${there}`)
const address = (rq_id: string, rest = '') => `/requests/${encodeURIComponent(rq_id)}${rest}`
const recordOf = (rq_id: string) => api.done('GET', address(rq_id))
const cancel = (rq_id: string) => api.call('POST', address(rq_id, '/cancel'))

const kinds: [kind: string, start: () => Promise<{ rq_id: string }>][] = [
  [
    'an export of a task',
    () => post(`/tasks/${ids.task}/dataset/export?${coco}&save_images=true&${there}`),
  ],
  ['a backup of a project', () => post(`/projects/${ids.project}/backup/export?${there}`)],
  ['an import into a task', () => post(`/tasks/${ids.task}/annotations/?${coco}&${there}`)],
  ['an import into a job', () => post(`/jobs/${ids.job}/annotations/?${coco}&${there}`)],
  ['an import into a project', () => post(`/projects/${ids.project}/dataset/?${coco}&${there}`)],
  ['a restored project', () => post(`/projects/backup/?${there}`)],
  [
    'the media of a task',
    () => {
      const source = { cloud_storage_id: ids.storage, server_files: ['frame.png'] }
      return post(`/tasks/${ids.empty}/data`, { image_quality: 70, ...source })
    },
  ],
]

/** Everything that a request could have left behind. */
async function everything(): Promise<AnyJson> {
  const read = (url: string) => api.done('GET', url)
  return {
    projects: await read('/projects?sort=id'),
    tasks: await read('/tasks?sort=id'),
    labels: await read(`/labels?project_id=${ids.project}`),
    shapes: await read(`/tasks/${ids.task}/annotations`),
    media: (await api.call('GET', `/tasks/${ids.empty}/data/meta`)).body,
    bucket: [...(store.buckets.get('silent')?.keys() ?? [])],
    parts: store.unfinished(),
  }
}

beforeEach(() => {
  const file = Buffer.from('nobody ever reads this')
  store.buckets.set('silent', new Map(['there.zip', 'frame.png'].map((key) => [key, file])))
  store.stalled.add('silent')
})

describe.each(kinds)('%s', (_, start) => {
  test('a queued request is cancelled at once and can be requested again', async () => {
    const blocking = [await block(ids.first), await block(ids.second)]
    const before = await everything()
    for (const _again of [1, 2]) {
      const { rq_id } = await start()
      expect((await recordOf(rq_id)).status).toBe('queued')
      const { status, text } = await cancel(rq_id)
      expect([status, text]).toEqual([200, ''])
      const over = { status: 'failed', message: 'Cancelled', result_url: null, result_id: null }
      expect(await recordOf(rq_id)).toMatchObject({ ...over, started_date: null })
      expect((await cancel(rq_id)).status).toBe(400)
    }
    expect(await everything()).toEqual(before)
    for (const { rq_id } of blocking) expect((await cancel(rq_id)).status).toBe(200)
  })

  test('a running request is cancelled without leftovers, and its worker takes the next one', async () => {
    const before = await everything()
    const { rq_id } = await start()
    await expect.poll(async () => (await recordOf(rq_id)).status).toBe('started')
    await expect.poll(async () => (await recordOf(rq_id)).message).not.toBe('')
    const next = await post(`/tasks/${ids.first}/dataset/export?${coco}&min_score=${Math.random()}`)
    const { status, text } = await cancel(rq_id)
    expect([status, text]).toEqual([200, ''])
    expect(await recordOf(rq_id)).toMatchObject({
      ...{ status: 'failed', message: 'Cancelled', result_url: null, result_id: null },
    })
    await api.finished(next)
    await vi.waitFor(async () => expect(await everything()).toEqual(before), 60_000)
  })
})
