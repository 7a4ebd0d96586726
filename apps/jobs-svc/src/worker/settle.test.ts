import { silentLog } from '@reticle/kit/observe/log'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { makeDead, registerPending } from '../storage/repo-objects.ts'
import { addRequest, blobState, readRequest } from '../testing/rows.ts'
import { testStore } from '../testing/run.ts'
import { resultKey } from '../work/result-key.ts'
import { claimRequest } from './leases/repo-claims.ts'
import { settleRequest } from './settle.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
const { blobs } = await testStore()
const deps = { db, blobs, log: silentLog, resultTtlHours: 24, leaseSeconds: 60, retrySeconds: [] }

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

/** Claims an export and writes its result file. */
async function converted() {
  await addRequest(db)
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  const key = resultKey(row)
  await registerPending(db, { key, kind: 'result', organization_id: null })
  const { size } = await blobs.put(key, bytesOf('result'))
  const outcome = { report: null, result: { key, size }, result_id: null }
  return { row, key, conversion: { type: 'done', outcome } as const }
}

const finishedWith = (key: string): Partial<RequestRow> => ({ status: 'finished', result_key: key })

test('writing the end of a request again, because the first answer was lost, does no harm', async () => {
  const { row, key, conversion } = await converted()
  await settleRequest(deps, row, conversion, undefined)
  await settleRequest(deps, row, conversion, undefined)

  expect(await readRequest(db, row)).toMatchObject(finishedWith(key))
  expect(await blobState(db, key)).toBe('live')
  expect((await blobs.stat(key)).size).toBe('result'.length)
  const events = await db.selectFrom('outbox').select('type').execute()
  expect(events.length).toBe(1)
})

test('the file of an attempt that lost its lease is removed', async () => {
  const { row, key, conversion } = await converted()
  await sql`update requests set lease_token = nextval('lease_tokens')`.execute(db)
  await settleRequest(deps, row, conversion, 'lost')

  expect(await readRequest(db, row)).toMatchObject({ status: 'started', result_key: null })
  expect(await blobState(db, key)).toBe('dead')
  await expect(blobs.stat(key)).rejects.toMatchObject({ kind: 'not_found' })
})

describe('the first chunk of media', () => {
  const key = 'requests/chunks/1/first'
  const chunk = { key, name: '1-0-2-q70', data_revision: 1, size: 5, checksum: '7' }
  const outcome = { report: null, result: null, result_id: 1, chunk }
  const conversion = { type: 'done', outcome } as const
  const chunks = () => db.selectFrom('chunks').selectAll().execute()

  async function prepared() {
    await sql`truncate chunks`.execute(db)
    await addRequest(db, { action: 'create', subresource: null, format: null })
    const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
    if (!row) throw new Error('no request was claimed')
    await registerPending(db, { key, kind: 'frames', task_id: 1 })
    return row
  }

  test('is registered with the end of the request', async () => {
    await settleRequest(deps, await prepared(), conversion, undefined)
    expect(await chunks()).toMatchObject([
      { task_id: 1, name: '1-0-2-q70', object_key: key, size: 5, checksum: '7', builder: null },
    ])
    expect(await blobState(db, key)).toBe('live')
  })

  test('is not registered by an attempt that lost its lease', async () => {
    const row = await prepared()
    await sql`update requests set lease_token = nextval('lease_tokens')`.execute(db)
    await settleRequest(deps, row, conversion, 'lost')
    expect([await chunks(), await blobState(db, key)]).toEqual([[], 'pending'])
  })

  test('is dropped when the chunk is registered already', async () => {
    const row = await prepared()
    const other = { task_id: 1, name: '1-0-2-q70', data_revision: 1, object_key: 'other' }
    await db.insertInto('chunks').values(other).execute()
    await settleRequest(deps, row, conversion, undefined)
    expect(await chunks()).toMatchObject([{ object_key: 'other' }])
    expect(await blobState(db, key)).toBe('dead')
  })

  test('is not registered once the task is deleted', async () => {
    const row = await prepared()
    await makeDead(db, key)
    await settleRequest(deps, row, conversion, undefined)
    expect(await chunks()).toEqual([])
  })
})

test('a failed request keeps the report entries that were noted before it failed', async () => {
  const { row } = await converted()
  const created = { tags: 0, shapes: 0, tracks: 0 }
  const report = { created, skipped: 1, converted: 0, dropped: 0, entries: [] }
  const failure = { kind: 'user', message: 'no', report, detail: '' } as const
  await settleRequest(deps, row, { type: 'failed', failure }, undefined)
  expect(await readRequest(db, row)).toMatchObject({ status: 'failed', message: 'no', report })
})

describe('an end that cannot be stored fails the request at once', () => {
  const counts = { created: { tags: 0, shapes: 0, tracks: 0 }, skipped: 0, converted: 0 }
  const entry = { kind: 'skipped', code: 'x', count: 1, examples: [] }
  const reportOf = (reason: string) => ({
    ...counts,
    dropped: 0,
    entries: [{ ...entry, reason }],
  })
  const nothing = { report: null, result: null, result_id: null }

  test.each([
    ['a character that is not stored', { ...nothing, report: reportOf('a\0') }],
    ['half a character', { ...nothing, report: reportOf('a\ud800') }],
    ['a number that has no room', { ...nothing, result_id: 2 ** 31 }],
  ])('%s', async (_, outcome) => {
    const { row } = await converted()
    await settleRequest(deps, row, { type: 'done', outcome }, undefined)
    expect(await readRequest(db, row)).toMatchObject({
      status: 'failed',
      attempt: 1,
      result_key: null,
      message: 'The conversion failed: its report or result cannot be stored',
    })
  })
})
