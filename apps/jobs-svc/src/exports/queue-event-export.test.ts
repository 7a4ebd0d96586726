import { requests } from '@reticle/contracts/api/requests'
import type { EventFilter } from '@reticle/contracts/rest/events'
import { forbidden } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { registerPending } from '../storage/repo-objects.ts'
import { blobState } from '../testing/rows.ts'
import { authorityOf, noOrganizations, noStorages } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { readWork } from '../work/request-work.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { finishRequest } from '../worker/leases/repo-endings.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const asked: EventFilter[] = []
const services = {
  tasks: authorityOf([]),
  organizations: noOrganizations,
  storages: noStorages,
  annotations: { getRevision: async () => ({ etag: '' }) },
  events: {
    permitEventExport: async (filter: EventFilter) => {
      asked.push(filter)
      if (filter.user_id === 4) throw forbidden()
      return { ...filter, user_id: 3 }
    },
  },
}
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 3, username: 'anna' })
const bo = callAs({ user_id: 4 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  asked.length = 0
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  return row
}

const key = 'requests/results/u/1'
async function finishNext() {
  await registerPending(db, { key, kind: 'result', organization_id: null })
  await finishRequest(
    db,
    await take(),
    { report: null, result: { key, size: 7 }, result_id: null },
    24,
  )
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const file = (rq_id: string, call = anna, is_last?: boolean) =>
    calls.getResultFile({ target: 'events', id: 0, rq_id, is_last }, call)

  test('each export of events is queued under a unique id', async () => {
    const { rq_id } = await calls.exportEvents({}, anna)
    expect(rq_id).toMatch(/^action=export&target=events&id=[\da-f-]{36}&user_id=3$/)
    const other = await calls.exportEvents({}, anna)
    expect(other.rq_id).not.toBe(rq_id)
    expect(await calls.getRequest({ rq_id }, anna)).toMatchObject({
      status: 'queued',
      result_url: null,
      operation: { type: 'export:events', target: 'events', task_id: null, format: null },
    })
  })

  test('the filter of an export is restricted to the readable events, and ends now by default', async () => {
    const wanted = { project_id: 7, task_id: 1, job_id: 31, from: '2026-03-01T00:00:00.000Z' }
    await calls.exportEvents({ ...wanted, filename: 'a.csv' }, anna)
    const filter = { ...wanted, org_id: null, to: expect.stringMatching(/^20.*Z$/) }
    expect(asked).toEqual([{ ...filter, user_id: null }])
    expect(readWork(await take())).toMatchObject({
      target: 'events',
      params: { filter: { ...filter, user_id: 3 }, filename: 'a.csv' },
    })
  })

  test.each([
    ['events that the caller may not see', { user_id: 4 }, { kind: 'forbidden' }],
    [
      'another place',
      { location: 'moon' },
      { body: { location: ['"moon" is not a valid choice.'] } },
    ],
    ['a cloud storage without its id', { location: 'cloud_storage' }, { kind: 'invalid' }],
    [
      'a cloud storage that is none',
      { location: 'cloud_storage', cloud_storage_id: 1 },
      { kind: 'not_found' },
    ],
    ['a name that is a path', { filename: '../x' }, { kind: 'invalid' }],
  ])('%s is refused and queues no request', async (_, wanted, expected) => {
    await expect(calls.exportEvents(wanted, anna)).rejects.toMatchObject(expected)
    expect(await db.selectFrom('requests').select('rq_id').execute()).toEqual([])
  })

  test('the file of an export is CSV, named by the time of the request, and only for its owner', async () => {
    const { rq_id } = await calls.exportEvents({}, anna)
    await finishNext()
    expect(await calls.getRequest({ rq_id }, anna)).toMatchObject({
      status: 'finished',
      result_url: `/events/download?rq_id=${encodeURIComponent(rq_id)}`,
    })
    expect(await file(rq_id)).toMatchObject({
      key,
      size: 7,
      media_type: 'text/csv',
      filename: expect.stringMatching(/^logs_\d{4}(_\d\d){5}\.csv$/),
    })
    for (const ask of [() => file(rq_id, bo), () => calls.getRequest({ rq_id }, bo)])
      await expect(ask()).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(calls.getResultFile({ target: 'task', id: 0, rq_id }, anna)).rejects.toMatchObject(
      { kind: 'invalid' },
    )
  })

  test('a file that is downloaded for the last time is deleted with its request', async () => {
    const { rq_id } = await calls.exportEvents({}, anna)
    await expect(file(rq_id, anna, true)).rejects.toMatchObject({ code: 'request_not_finished' })
    await finishNext()
    expect(await file(rq_id, anna, true)).toMatchObject({ key, size: 7 })
    expect(await blobState(db, key)).toBe('dead')
    await expect(calls.getRequest({ rq_id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })
})
