import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { whole } from '../testing/run.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { finishRequest } from '../worker/leases/repo-endings.ts'
import { enterFinal, requeueLater } from '../worker/leases/repo-leases.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const revision = { etag: '"t1-1"' }
const job = factsOf({ target: 'job', job_id: 31, project_id: 7 })
const grants = [
  { target: 'task', id: 1, user_id: 1, facts: factsOf({ project_id: 7, organization_id: 2 }) },
  { target: 'task', id: 1, user_id: 2, facts: factsOf({ project_id: 7, organization_id: 2 }) },
  { target: 'task', id: 3, user_id: 1, facts: factsOf({ task_id: 3, size: 0, jobs: [] }) },
  { target: 'task', id: 4, user_id: 1, facts: factsOf({ task_id: 4, dimension: '3d' }) },
  { target: 'job', id: 31, user_id: 1, facts: job },
] as const
const annotations = { getRevision: async () => revision }
const services = { tasks: authorityOf(grants), annotations, ...noOthers }
const settings = settingsOf({ queuedPerUser: 3 })
const handlers = requestHandlers({ db, services, settings })

const anna = callAs({ user_id: 1, username: 'anna' })
const bob = callAs({ user_id: 2 })
const admin = callAs({ user_id: 9, role: 'admin' })

const rqId =
  'action=export&target=task&target_id=1&user_id=1&format=COCO_1~0&subresource=annotations'
const wanted = { id: 1, format: 'COCO 1.0', ...whole, save_images: false }

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  revision.etag = '"t1-1"'
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  return row
}

async function finishNext(key = 'requests/results/u/1') {
  const result = { key, size: 7 }
  await finishRequest(db, await take(), { report: null, result, result_id: null }, 24)
}

const eventTypes = async () => {
  const rows = await db.selectFrom('outbox').select('type').orderBy('id').execute()
  return rows.map((row) => row.type)
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)

  test('an export is queued under its readable id', async () => {
    expect(await calls.exportTaskDataset(wanted, anna)).toEqual({ rq_id: rqId })
    expect(await calls.getRequest({ rq_id: rqId }, anna)).toEqual({
      id: rqId,
      status: 'queued',
      message: '',
      operation: {
        type: 'export:annotations',
        target: 'task',
        project_id: 7,
        task_id: 1,
        job_id: null,
        org_id: 2,
        format: 'COCO 1.0',
        ...{ function_id: null, lightweight: null },
      },
      ...{ progress: 0, queue_position: 0, eta_seconds: null, attempt: 0 },
      ...{ bytes_done: null, bytes_total: null, items_done: null, items_total: null },
      created_date: expect.any(String),
      ...{ started_date: null, finished_date: null },
      expiry_date: null,
      owner: { id: 1, username: 'anna' },
      result_url: null,
      result_id: null,
      report: null,
    })
    expect(await eventTypes()).toEqual(['request.queued'])
  })

  test('an export of a job with images has a separate id', async () => {
    const answer = await calls.exportJobDataset({ ...wanted, id: 31, save_images: true }, anna)
    expect(answer.rq_id).toBe(
      'action=export&target=job&target_id=31&user_id=1&format=COCO_1~0&subresource=dataset',
    )
    const { operation } = await calls.getRequest({ rq_id: answer.rq_id }, anna)
    expect(operation).toMatchObject({
      type: 'export:dataset',
      target: 'job',
      job_id: 31,
      project_id: 7,
    })
  })

  test('posting the same export while it runs is a conflict that names the request', async () => {
    await calls.exportTaskDataset(wanted, anna)
    await expect(calls.exportTaskDataset(wanted, anna)).rejects.toMatchObject({
      kind: 'conflict',
      body: { rq_id: rqId },
    })
  })

  test('a format name matches in any case', async () => {
    const { rq_id } = await calls.exportTaskDataset({ ...wanted, format: 'coco 1.0' }, anna)
    expect(rq_id).toBe(rqId)
  })

  const unknownFormat = { code: 'format_unknown' }
  test.each([
    ['no format', { format: undefined }, unknownFormat],
    ['an unknown format', { format: 'COCO' }, unknownFormat],
    ['a task that does not exist', { id: 99 }, { kind: 'not_found' }],
    ['a task without data', { id: 3 }, { body: ['This task data has not been initialized yet'] }],
    ['data of another dimension', { id: 4 }, { code: 'format_dimension' }],
    [
      'an unknown location',
      { location: 'ftp' },
      { body: { location: ['"ftp" is not a valid choice.'] } },
    ],
    [
      'a cloud storage without its id',
      { location: 'cloud_storage' },
      { body: { cloud_storage_id: ['cloud_storage_id was not provided'] } },
    ],
    [
      'a cloud storage that does not exist',
      { location: 'cloud_storage', cloud_storage_id: 5 },
      { kind: 'not_found' },
    ],
    ['a path as file name', { filename: '../x' }, { body: { filename: [expect.any(String)] } }],
    ['an absolute file name', { filename: '/x' }, { body: { filename: [expect.any(String)] } }],
    [
      'a long file name',
      { filename: 'x'.repeat(300) },
      { body: { filename: [expect.any(String)] } },
    ],
  ])('%s is refused', async (_, given, error) => {
    await expect(calls.exportTaskDataset({ ...wanted, ...given }, anna)).rejects.toMatchObject(
      error,
    )
    expect(await eventTypes()).toEqual([])
  })

  test('an export of a task without view permission is forbidden', async () => {
    const attempt = calls.exportTaskDataset(wanted, callAs({ user_id: 5 }))
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('a user over the queue limit is refused with `retry_after` of one minute', async () => {
    for (let n = 0; n < 3; n++) await addRequest(db, { owner_id: 1 })
    await expect(calls.exportTaskDataset(wanted, anna)).rejects.toMatchObject({
      kind: 'too_many',
      code: 'too_many_requests',
      retry_after: 60,
    })
  })

  test('an export of unchanged annotations is finished from the cached file, for other users and its owner', async () => {
    await calls.exportTaskDataset(wanted, anna)
    await finishNext()

    const { rq_id } = await calls.exportTaskDataset(wanted, bob)

    expect(await calls.getRequest({ rq_id }, bob)).toMatchObject({
      status: 'finished',
      progress: 1,
      result_url: `/tasks/1/dataset/download?rq_id=${encodeURIComponent(rq_id)}`,
    })
    await calls.exportTaskDataset(wanted, anna)
    const file = { key: 'requests/results/u/1' }
    const at = { target: 'task', id: 1 } as const
    expect(await calls.getResultFile({ ...at, rq_id }, bob)).toMatchObject(file)
    expect(await calls.getResultFile({ ...at, rq_id: rqId }, anna)).toMatchObject(file)
    expect(await eventTypes()).toEqual(['request.queued', ...Array(3).fill('request.finished')])
  })

  test('a changed annotation makes a new file', async () => {
    await calls.exportTaskDataset(wanted, anna)
    await finishNext()
    revision.etag = '"t1-2"'
    await calls.exportTaskDataset(wanted, anna)
    expect(await calls.getRequest({ rq_id: rqId }, anna)).toMatchObject({ status: 'queued' })
  })

  test('posting again replaces an ended request', async () => {
    await calls.exportTaskDataset(wanted, anna)
    await calls.cancelRequest({ rq_id: rqId }, anna)
    await calls.exportTaskDataset(wanted, anna)
    expect(await calls.listRequests({}, anna)).toMatchObject({
      count: 1,
      results: [{ id: rqId, status: 'queued', message: '' }],
    })
  })

  test('an unknown request id is not found', async () => {
    await expect(calls.getRequest({ rq_id: 'action=x' }, anna)).rejects.toMatchObject({
      kind: 'not_found',
    })
    await expect(calls.cancelRequest({ rq_id: 'action=x' }, anna)).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  test('an expired record is not found', async () => {
    const { rq_id } = await addRequest(db, {
      status: 'failed',
      expiry_date: new Date(Date.now() - 1000),
    })
    await expect(calls.getRequest({ rq_id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
    expect(await calls.listRequests({}, anna)).toMatchObject({ count: 0 })
  })

  test('only its owner and administrators can view an export', async () => {
    const { rq_id } = await calls.exportTaskDataset(wanted, anna)
    await calls.getRequest({ rq_id }, admin)
    await expect(calls.getRequest({ rq_id }, bob)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('an import is visible to every user with access to its task', async () => {
    const { rq_id } = await addRequest(db, { action: 'import', rq_id: 'action=import&x' })
    await calls.getRequest({ rq_id }, bob)
    await calls.getRequest({ rq_id }, admin)
    const stranger = calls.getRequest({ rq_id }, callAs({ user_id: 5 }))
    await expect(stranger).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('the list holds only own requests, newest first, filtered and sorted', async () => {
    await addRequest(db, { rq_id: 'a', created: 1, status: 'failed' })
    await addRequest(db, { rq_id: 'b', created: 2, format: 'YOLO 1.1' })
    await addRequest(db, { rq_id: 'c', created: 3, owner_id: 2 })
    const ids = async (query: Parameters<typeof calls.listRequests>[0]) =>
      (await calls.listRequests(query, anna)).results.map((row) => row.id)

    expect(await ids({})).toEqual(['b', 'a'])
    expect(await ids({ sort: 'created_date' })).toEqual(['a', 'b'])
    expect(await ids({ sort: 'status' })).toEqual(['a', 'b'])
    expect(await ids({ status: 'failed' })).toEqual(['a'])
    expect(await ids({ format: 'YOLO 1.1' })).toEqual(['b'])
    expect(await ids({ id: 'b' })).toEqual(['b'])
    expect(await ids({ task_id: 99 })).toEqual([])
    expect(await ids({ page_size: '1', page: '2' })).toEqual(['a'])
  })

  test('a queued request is cancelled at once and only once', async () => {
    await calls.exportTaskDataset(wanted, anna)
    await calls.cancelRequest({ rq_id: rqId }, anna)
    expect(await calls.getRequest({ rq_id: rqId }, anna)).toMatchObject({
      status: 'failed',
      message: 'Cancelled',
      finished_date: expect.any(String),
      expiry_date: expect.any(String),
    })
    await expect(calls.cancelRequest({ rq_id: rqId }, anna)).rejects.toMatchObject({
      kind: 'invalid',
    })
    expect(await eventTypes()).toEqual(['request.queued', 'request.finished'])
  })

  test('a started request is cancelled until its final transaction begins', async () => {
    const { rq_id } = await addRequest(db, { action: 'import', rq_id: 'action=import&y' })
    await enterFinal(db, await take())
    await expect(calls.cancelRequest({ rq_id }, anna)).rejects.toMatchObject({
      body: ['The request is being completed and can no longer be cancelled'],
    })
  })

  test('a started request that was cancelled cannot begin its final transaction', async () => {
    const { rq_id } = await addRequest(db, { action: 'import', rq_id: 'action=import&y' })
    const row = await take()
    await calls.cancelRequest({ rq_id }, anna)
    expect(await enterFinal(db, row)).toBe(false)
  })

  test('a request whose worker was lost in its final transaction cannot be cancelled', async () => {
    const { rq_id } = await addRequest(db, { action: 'import', rq_id: 'action=import&y' })
    const row = await take()
    await enterFinal(db, row)
    await requeueLater(db, row, 60)
    await expect(calls.cancelRequest({ rq_id }, anna)).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('only the owner and administrators can cancel', async () => {
    const { rq_id } = await addRequest(db, { action: 'import', rq_id: 'action=import&z' })
    await expect(calls.cancelRequest({ rq_id }, bob)).rejects.toMatchObject({ kind: 'forbidden' })
    await calls.cancelRequest({ rq_id }, admin)
  })

  test('a call with `wait` returns when the request has ended', async () => {
    await calls.exportTaskDataset(wanted, anna)
    const answer = calls.getRequest({ rq_id: rqId, wait: 10 }, anna)
    await finishNext()
    expect(await answer).toMatchObject({ status: 'finished' })
  })

  test('a call with `wait` returns after the given seconds', async () => {
    await calls.exportTaskDataset(wanted, anna)
    const began = performance.now()
    expect(await calls.getRequest({ rq_id: rqId, wait: 1 }, anna)).toMatchObject({
      status: 'queued',
    })
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('a result file is named after its object, and each download extends its lifetime', async () => {
    await calls.exportTaskDataset(wanted, anna)
    await finishNext('requests/results/u/1')
    await sql`update requests set expiry_date = now() + interval '1 hour'`.execute(db)

    expect(await calls.getResultFile({ target: 'task', id: 1, rq_id: rqId }, anna)).toEqual({
      key: 'requests/results/u/1',
      size: 7,
      filename: 'task_1_annotations_2026_03_01_10_00_00_coco 1.0.zip',
      etag: '"u-1"',
      media_type: 'application/zip',
      finished_date: expect.any(String),
    })
    const { expiry_date } = await calls.getRequest({ rq_id: rqId }, anna)
    expect(Date.parse(expiry_date ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000)
  })

  test('control characters are removed from a requested file name', async () => {
    await calls.exportTaskDataset({ ...wanted, filename: 'con\r\n.zip' }, anna)
    await finishNext()
    expect(await calls.getResultFile({ target: 'task', id: 1, rq_id: rqId }, anna)).toMatchObject({
      filename: 'con.zip',
    })
  })

  test.each([
    ['without a request', { rq_id: undefined }, { body: ['rq_id was not provided'] }],
    ['of an unknown request', { rq_id: 'x' }, { body: ['Unknown export request id'] }],
    ['through another object', { id: 2 }, { kind: 'invalid' }],
  ])('a result %s is refused', async (_, given, error) => {
    await calls.exportTaskDataset(wanted, anna)
    const attempt = calls.getResultFile({ target: 'task', id: 1, rq_id: rqId, ...given }, anna)
    await expect(attempt).rejects.toMatchObject(error)
  })

  test('a result is refused before it is finished, to other users, and after it expired', async () => {
    const file = { target: 'task', id: 1, rq_id: rqId } as const
    await calls.exportTaskDataset(wanted, anna)
    await expect(calls.getResultFile(file, anna)).rejects.toMatchObject({
      body: ['The export process is not finished'],
    })
    await finishNext()
    await expect(calls.getResultFile(file, bob)).rejects.toMatchObject({ kind: 'forbidden' })
    await calls.getResultFile(file, admin)
    await sql`update requests set expiry_date = now() - interval '1 second'`.execute(db)
    await expect(calls.getResultFile(file, anna)).rejects.toMatchObject({
      kind: 'not_found',
      message: 'The exported file has expired, please retry exporting',
    })
  })
})

/** Claims requests one after the other and runs `act` concurrently with a cancellation; returns the results of both. */
async function race(count: number, act: (row: RequestRow, n: number) => Promise<boolean>) {
  const races = []
  for (let n = 0; n < count; n++) {
    await addRequest(db, { rq_id: `race ${n}`, tenant: `user:${n}` })
    const row = await take()
    const cancelling = handlers.cancelRequest({ rq_id: row.rq_id }, anna).then(
      () => true,
      () => false,
    )
    const [acted, cancelled] = await Promise.all([act(row, n), cancelling])
    races.push({ acted, cancelled })
  }
  return races
}

test('each of 100 requests that end and are cancelled concurrently ends once with one event (T-REQ-8)', async () => {
  const races = await race(100, (row, n) => {
    const result = { key: `k${n}`, size: 1 }
    return finishRequest(db, row, { report: null, result, result_id: null }, 24)
  })
  expect(races.filter(({ acted, cancelled }) => acted === cancelled)).toEqual([])
  expect((await eventTypes()).length).toBe(100)
})

test('either the final transaction begins or the request is cancelled, never both (T-REQ-8)', async () => {
  const races = await race(50, (row) => enterFinal(db, row))
  expect(races.filter(({ acted, cancelled }) => acted === cancelled)).toEqual([])
})
