import { requests } from '@reticle/contracts/api/requests'
import type { Storage } from '@reticle/contracts/rest/storage'
import { factsOf } from '@reticle/contracts/testing/records'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { fetchImportFile } from '../operations/fetch-file.ts'
import { requestHandlers } from '../server.ts'
import { blobState } from '../testing/rows.ts'
import { importWork, runOf, testStore } from '../testing/run.ts'
import { authorityOf, noOthers, servicesOf } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { seenStorages, storageOf } from '../testing/storages.ts'
import { contextOf, type ImportWork, readWork } from '../work/request-work.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { failRequest, finishRequest } from '../worker/leases/repo-endings.ts'

/** Imports from cloud storages. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const set: { source_storage: Storage | null } = { source_storage: null }
const services = {
  ...noOthers,
  tasks: authorityOf([
    { target: 'task', id: 2, user_id: 1, facts: factsOf({ task_id: 2, organization_id: 4 }) },
    { target: 'job', id: 31, user_id: 1, facts: factsOf({ target: 'job', job_id: 31 }) },
  ]),
  annotations: { getRevision: async () => ({ etag: '"x"' }) },
  storages: {
    ...noOthers.storages,
    ...seenStorages({ 9: '', 10: 'prefix=2026%2F', 11: 'forbidden' }),
    findDefaultStorages: async () => ({ target_storage: null, ...set }),
  },
}
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1 })
const wanted = {
  ...({ target: 'task', id: 2 } as const),
  format: 'COCO 1.0',
  import_mode: 'replace',
  conv_mask_to_poly: true,
}
const there = (cloud_storage_id?: number, file_id?: string) => ({
  location: 'cloud_storage',
  cloud_storage_id,
  file_id,
})

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  set.source_storage = null
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  return row ?? expect.fail('no request was claimed')
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const start = (given: Partial<Parameters<typeof calls.startImport>[0]['body']>) =>
    calls.startImport({ body: { ...wanted, ...given } }, anna)

  test('a file is named by its key, and a blob key for its copy is reserved', async () => {
    const { rq_id } = await start(there(9, 'in/a.json'))
    expect(rq_id).toBe('action=import&target=task&target_id=2&subresource=annotations')
    const row = await take()
    const { params } = readWork(row) as ImportWork
    const { input_key } = row
    expect(params).toMatchObject({
      cloud_storage_id: 9,
      file: { name: 'in/a.json', key: `${input_key}0`, size: 0 },
    })
    expect(await blobState(db, input_key ?? '')).toBe('live')
  })

  test.each([
    [
      'finished',
      (row: Awaited<ReturnType<typeof take>>) =>
        finishRequest(db, row, { report: null, result: null, result_id: null }, 24),
    ],
    ['failed', (row: Awaited<ReturnType<typeof take>>) => failRequest(db, row, 'no such key', 24)],
  ])('the copy of its file is deleted when it has %s', async (_, end) => {
    await start(there(9, 'a.json'))
    const row = await take()
    await end(row)
    expect(await blobState(db, row.input_key ?? '')).toBe('dead')
  })

  test('the default is the source storage of the object', async () => {
    set.source_storage = { id: 1, location: 'cloud_storage', cloud_storage_id: 9 }
    await start({ file_id: 'a.json' })
    expect(readWork(await take()).params).toMatchObject({ cloud_storage_id: 9 })
    await start({ target: 'job', id: 31, file_id: 'a.json' })
    expect(readWork(await take()).params).toMatchObject({ cloud_storage_id: 9 })
  })

  test('an uploaded file takes precedence over the source storage', async () => {
    set.source_storage = { id: 1, location: 'cloud_storage', cloud_storage_id: 9 }
    const aim = { purpose: 'annotations', target: 'task', id: 2, format: 'COCO 1.0' } as const
    const { upload_id, prefix } = await calls.openUpload(aim, anna)
    await start({ upload_id, file: { name: 'a.json', key: `${prefix}0`, size: 10 } })
    expect(readWork(await take()).params).toMatchObject({ cloud_storage_id: null })
    const sent = start({ location: 'local', file_id: `1_${upload_id}` })
    await expect(sent).rejects.toMatchObject({ body: ['No such file were uploaded'] })
  })

  test.each([
    ['no key', there(9), { body: ['The filename was not specified'] }],
    [
      'no storage',
      there(undefined, 'a'),
      { body: { cloud_storage_id: ['cloud_storage_id was not provided'] } },
    ],
    ['one that is none', there(8, 'a'), { kind: 'not_found' }],
    ['one that the caller does not see', there(11, 'a'), { kind: 'forbidden' }],
    ['a key outside of it', there(10, 'a.json'), { kind: 'invalid' }],
    ['a key that leads elsewhere', there(9, 'a/../../b'), { kind: 'invalid' }],
    ['a key that is too long', there(9, 'a'.repeat(1025)), { kind: 'invalid' }],
    ['another place', { location: 'moon', file_id: 'a' }, { kind: 'invalid' }],
    ['no file at all', {}, { body: { annotation_file: ['No file was submitted.'] } }],
    [
      'an unknown format',
      { ...there(9, 'a'), format: 'X' },
      {
        body: [expect.stringMatching("^Unknown input format 'X'. Formats for import: COCO 1.0, ")],
      },
    ],
  ])('%s is refused and queues no request', async (_, given, refusal) => {
    await expect(start(given)).rejects.toMatchObject(refusal)
    expect(await db.selectFrom('requests').select('rq_id').execute()).toEqual([])
    expect(await db.selectFrom('blobs').select('key').execute()).toEqual([])
  })
})

describe('the worker', async () => {
  const store = await testStore()
  const { storages, read } = storageOf({ 'in/a.json': Buffer.from('{}'), empty: Buffer.alloc(0) })
  const fetch = async (name: string, given: Parameters<typeof runOf>[2] = {}) => {
    const file = { name, key: 'requests/uploads/u/0', size: 0 }
    const work = importWork({ file, cloud_storage_id: 9 })
    const run = await runOf(store, servicesOf({ storages }), given)
    return fetchImportFile(work.params, run, contextOf(work, run.signal))
  }

  test('copies the file to where it can be read from any place', async () => {
    expect(await fetch('in/a.json')).toEqual({
      name: 'in/a.json',
      key: 'requests/uploads/u/0',
      size: 2,
    })
    expect((await store.blobs.stat('requests/uploads/u/0')).size).toBe(2)
    expect(read).toEqual(['in/a.json'])
  })

  test('reads an uploaded file in place', async () => {
    const { params } = importWork({})
    const run = await runOf(store, servicesOf({}))
    expect(await fetchImportFile(params, run, contextOf(importWork({}), run.signal))).toBe(
      params.file,
    )
  })

  test('reports a missing, empty or too large file', async () => {
    await expect(fetch('empty')).rejects.toThrow('empty: the file is empty')
    await expect(fetch('none')).rejects.toMatchObject({ kind: 'not_found' })
    const large = fetch('in/a.json', { limits: { ...archiveLimits, bytes: 1 } })
    await expect(large).rejects.toThrow('in/a.json: the file has more than 1 bytes')
  })
})
