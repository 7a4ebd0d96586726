import { restOperations } from '@reticle/contracts'
import { startReceiver, type TestReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiClient } from '../support/client.ts'
import { basic, dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'
import {
  type DialectResponse,
  fetchResponse,
  listDifferences,
  withoutOwn,
} from './dialect/compare.ts'
import { readOf } from './dialect/reads.ts'
import { type DialectWorld, makeWorld } from './dialect/world.ts'
import { refusedCall, writes } from './dialect/writes.ts'

/**
 * The same calls on the native and the CVAT-compatible mount, whose answers may differ only as this table lists. See
 * docs/spec/dialect.md#operations.
 */

const { path: dataDir, remove } = dataDirectory()
let reticle: Reticle
let hooks: TestReceiver
let world: DialectWorld
beforeAll(async () => {
  reticle = await startReticle(dataDir)
  hooks = await startReceiver()
  world = await makeWorld(createApiClient(service(), basic), hooks.url)
}, 120_000)
afterAll(async () => {
  await reticle.stop()
  await hooks.close()
  remove()
})

const service = () => `${reticle.url}/api`
const mount = () => `${reticle.url}/as/cvat/api`

/** Fields that clients of the dialect do not know are absent there (`docs/cvat.md`). */
const ofProject = ['labels', 'revision']
const ofTask = ['labels', 'media_type', 'project_name', 'revision']
const task = ['data', 'status', ...ofTask]
const job = ['media_type', 'project_name', 'replicas_count', 'revision', 'task_name']
const progress = ['bytes_done', 'bytes_total', 'items_done', 'items_total']
const request = [
  'attempt',
  'eta_seconds',
  'operation.format',
  'operation.org_id',
  ...progress,
].concat(['queue_position', 'report'])
const token = ['dialect', 'expiry_date']
const set = ['shapes[].points[]', 'tracks[].shapes']
const hook = ['dialect', 'events', 'events_list', 'has_secret']
/** The webhook of these calls has the dialect `service`: addresses in its payloads are those of the service. */
const sent = ['sender.url', 'webhook.owner.url', 'webhook.url']
const ofDelivery = ['attempt', 'delivery_id', 'request_duration']
const delivery = [...sent.map((path) => `request.${path}`), ...ofDelivery]

const ofEach = (paths: readonly string[]) => paths.map((path) => `results[].${path}`)

/** Fields of answers that may differ, by operation. */
const mayDiffer: Record<string, readonly string[]> = {
  listProjects: ofEach(ofProject),
  ...{ createProject: ofProject, getProject: ofProject, updateProject: ofProject },
  listTasks: ofEach(task),
  ...{ createTask: task, getTask: ofTask, updateTask: task },
  ...{ listJobs: ofEach(job), getJob: job, createJob: job, updateJob: job },
  getTaskValidationLayout: ['frames_per_job_count'],
  updateTaskValidationLayout: ['frames_per_job_count'],
  listInvitations: ofEach(['accepted']),
  ...{ getInvitation: ['accepted'], createInvitation: ['accepted'] },
  ...{ getTaskAnnotations: set, getJobAnnotations: set, getJobRevision: set },
  ...{ getJobAnnotationsDiff: ['created.shapes[].points[]'], restoreJobRevision: set },
  updateJobAnnotations: ['shapes[].group'],
  listRequests: ofEach(request),
  getRequest: request,
  streamRequest: ['text'],
  ...{ listFormats: ['exporters', 'importers'], listFormatLosses: ['formats'] },
  listWebhooks: ofEach(hook),
  ...{ getWebhook: hook, createWebhook: hook, updateWebhook: hook, replaceWebhook: hook },
  ...{ rotateWebhookSecret: hook, listWebhookEvents: ['events'] },
  listDeliveries: ofEach(delivery),
  ...{ getDelivery: delivery, pingWebhook: delivery },
  listWebhookMessages: ofEach(sent.map((path) => `payload.${path}`)),
  listAccessTokens: ofEach(token),
  ...{ getAccessToken: token, createAccessToken: token },
  ...{ updateAccessToken: token, getCurrentAccessToken: token },
}

const types = new Map([['application/vnd.service+json', 'application/vnd.cvat+json']])

/** Compares two answers, except for the given fields. */
function expectAlike(here: DialectResponse, there: DialectResponse) {
  expect(there.status).toBe(here.status)
  expect(there.type).toBe(types.get(here.type) ?? here.type)
}

/**
 * Reads that are refused here: the status of an unsent mail, contents of cloud storages that are not connected, and the
 * export that starts again with each call.
 */
const refusedReads = new Set([
  ...['followEmailLink', 'getEvents', 'getCloudStorage', 'getCloudStorageStatus'],
  ...['listCloudStorageContent', 'getCloudStorageActions', 'getCloudStoragePreview'],
])

const reads = restOperations.filter((one) => one.method === 'GET')
describe.each(reads.map((one) => [one.name, one] as const))('%s', (name, operation) => {
  test('a read returns the same on both mounts, but for the listed differences', async () => {
    const call = readOf(operation, world)
    const here = await fetchResponse(service(), call)
    const there = await fetchResponse(mount(), call)
    expectAlike(here, there)
    expect(here.status < 400 || refusedReads.has(name) || operation.gone !== undefined).toBe(true)
    expect(there.headers).toEqual(here.headers)
    expect(listDifferences(here.body, there.body)).toEqual([...(mayDiffer[name] ?? [])].sort())
  })
})

const changes = restOperations.filter((one) => one.method !== 'GET')
describe.each(changes.map((one) => [one.name, one] as const))('%s', (name, operation) => {
  test('a change has the same effect on both mounts, but for the listed differences', async () => {
    const prepare = writes[name] ?? (() => refusedCall(operation))
    const api = createApiClient(service(), basic)
    const here = await fetchResponse(service(), await prepare(world, api))
    const there = await fetchResponse(mount(), await prepare(world, api))
    expectAlike(here, there)
    expect(here.status < 400).toBe(writes[name] !== undefined && !refusals.has(name))
    const found = listDifferences(withoutOwn(here.body), withoutOwn(there.body))
    expect(found).toEqual(here.status < 400 ? [...(mayDiffer[name] ?? [])].sort() : [])
  })
})

/** A request that has ended cannot be cancelled. */
const refusals = new Set(['cancelRequest'])

test('byte ranges work on both mounts, and an entity tag of one mount is valid on the other', async () => {
  const file = readOf(operationOf('downloadTaskDataset'), world)
  const range = { range: 'bytes=0-9' }
  const here = await fetchResponse(service(), { ...file, headers: range })
  const there = await fetchResponse(mount(), { ...file, headers: range })
  expect([there.status, there.body.length]).toEqual([206, 10])
  expect(there).toEqual(here)

  const read = await fetchResponse(service(), readOf(operationOf('getProject'), world))
  const known = { 'if-none-match': String(read.headers.etag) }
  const path = `/projects/${world.project.id}`
  expect((await fetchResponse(mount(), { method: 'GET', path, headers: known })).status).toBe(304)
  const change = (etag: string) =>
    fetchResponse(mount(), {
      ...{ method: 'PATCH', path, json: { bug_tracker: 'https://example.org/1' } },
      headers: { 'if-match': etag },
    })
  const changed = await change(String(read.headers.etag))
  expect([changed.status, changed.headers.etag]).toEqual([200, expect.any(String)])
  expect((await change(String(read.headers.etag))).status).toBe(412)
  expect((await change(String(changed.headers.etag))).status).toBe(200)
})

const operationOf = (name: string) => {
  const found = restOperations.find((one) => one.name === name)
  if (!found) throw new Error(`there is no ${name}`)
  return found
}

test('every row of the table and every prepared call belongs to an operation', () => {
  const names = restOperations.map((one) => one.name)
  for (const name of [...Object.keys(mayDiffer), ...Object.keys(writes)])
    expect(names).toContain(name)
})
