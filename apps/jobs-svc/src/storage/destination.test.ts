import { requests } from '@reticle/contracts/api/requests'
import type { Storage } from '@reticle/contracts/rest/storage'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { blobState } from '../testing/rows.ts'
import { whole } from '../testing/run.ts'
import { authorityOf, noEvents, noOrganizations, noStorages } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { seenStorages } from '../testing/storages.ts'
import { readWork } from '../work/request-work.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { finishFromTwin, finishRequest, withTwinFile } from '../worker/leases/repo-endings.ts'
import { registerPending } from './repo-objects.ts'

/** Exports into cloud storages. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const facts = factsOf({ project_id: 7, organization_id: 2 })
const grants = [1, 2].flatMap((user_id) => [
  { target: 'task' as const, id: 1, user_id, facts },
  {
    target: 'job' as const,
    id: 31,
    user_id,
    facts: factsOf({ target: 'job', job_id: 31 }),
  },
])
/** Target storage of task 1, and so of its jobs. */
const set: { target_storage: Storage | null } = { target_storage: null }
const storages = {
  ...noStorages,
  ...seenStorages({ 9: '', 10: 'prefix=2026%2F', 11: 'forbidden' }),
  findDefaultStorages: async () => ({ source_storage: null, ...set }),
}
const services = {
  tasks: authorityOf(grants),
  annotations: { getRevision: async () => ({ etag: '"x"' }) },
  events: { ...noEvents, permitEventExport: async <T>(filter: T) => filter },
  organizations: noOrganizations,
  storages,
}
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1 })
const bob = callAs({ user_id: 2 })
const reading = callAs({ user_id: 1, token: { id: 1, read_only: true } })
const there = (cloud_storage_id?: number) => ({ location: 'cloud_storage', cloud_storage_id })
const wanted = { id: 1, format: 'COCO 1.0', ...whole, save_images: false }
const target = (cloud_storage_id: number | null): Storage => ({
  id: 1,
  location: cloud_storage_id === null ? 'local' : 'cloud_storage',
  cloud_storage_id,
})

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  set.target_storage = null
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  return row ?? expect.fail('no request was claimed')
}

const key = 'requests/results/u/1'
async function finishNext() {
  const row = await take()
  await registerPending(db, { key, kind: 'result', organization_id: null })
  await finishRequest(db, row, { report: null, result: { key, size: 7 }, result_id: null }, 24)
}
const nothingQueued = async () =>
  expect(await db.selectFrom('requests').select('rq_id').execute()).toEqual([])

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  type Wish = Partial<Parameters<typeof calls.exportTaskDataset>[0]>
  const start = (wish: Wish, call = anna) => calls.exportTaskDataset({ ...wanted, ...wish }, call)
  const download = (rq_id: string) => calls.getResultFile({ target: 'task', id: 1, rq_id }, anna)
  const destination = async (wish: Wish) => {
    await start(wish)
    const { params } = readWork(await take())
    return params
  }

  test.each([
    ['as it is said', there(9), { cloud_storage_id: 9 }],
    [
      'the name is the key, folders and all',
      { ...there(9), filename: 'a/b.zip' },
      { filename: 'a/b.zip' },
    ],
    [
      'without its control characters',
      { ...there(9), filename: 'a\u0007/b.zip ' },
      { filename: 'a/b.zip' },
    ],
    [
      'or the usual name',
      there(9),
      { filename: expect.stringMatching(/^task_1_annotations_.*\.zip$/) },
    ],
    [
      'below what the storage shows',
      there(10),
      { filename: expect.stringMatching(/^2026\/task_1_/) },
    ],
  ])('a file goes to a cloud storage: %s', async (_, wish, expected) => {
    expect(await destination(wish)).toMatchObject(expected)
  })

  test('the default is the target storage of the object; a job uses that of its task', async () => {
    set.target_storage = target(9)
    expect(await destination({})).toMatchObject({ cloud_storage_id: 9 })
    await calls.exportJobDataset({ ...wanted, id: 31 }, anna)
    expect(readWork(await take()).params).toMatchObject({ cloud_storage_id: 9 })
    expect(await destination({ location: 'local', save_images: true })).toMatchObject({
      cloud_storage_id: null,
    })
    set.target_storage = target(null)
    const only_annotated = true
    expect(await destination({ only_annotated })).toMatchObject({ cloud_storage_id: null })
  })

  test('an export of events can go to a cloud storage, and has no object', async () => {
    set.target_storage = target(9)
    await calls.exportEvents({}, anna)
    expect(readWork(await take()).params).toMatchObject({ cloud_storage_id: null })
    await calls.exportEvents({ ...there(9), filename: 'logs/a.csv' }, anna)
    const expected = { cloud_storage_id: 9, filename: 'logs/a.csv' }
    expect(readWork(await take()).params).toMatchObject(expected)
  })

  test.each([
    ['no id', there(), { body: { cloud_storage_id: ['cloud_storage_id was not provided'] } }],
    [
      'another place',
      { location: 'moon' },
      { body: { location: ['"moon" is not a valid choice.'] } },
    ],
    ['one that is none', there(8), { kind: 'not_found', message: 'There is no cloud storage 8.' }],
    [
      'one that the caller does not see',
      there(11),
      { kind: 'forbidden', message: 'You may not use cloud storage 11: name another location.' },
    ],
    ['a key that leads elsewhere', { ...there(9), filename: '../a.zip' }, { kind: 'invalid' }],
    ['a key that is a folder', { ...there(9), filename: 'a/' }, { kind: 'invalid' }],
    ['a long key', { ...there(9), filename: `${'ü'.repeat(128)}` }, { kind: 'invalid' }],
    [
      'a key that the storage does not show',
      { ...there(10), filename: 'a.zip' },
      { body: { filename: ['The keys of this cloud storage begin with "2026/".'] } },
    ],
    ['a path here', { location: 'local', filename: 'a/b.zip' }, { kind: 'invalid' }],
  ])('%s is refused and queues no request', async (_, wish, refusal) => {
    await expect(start(wish)).rejects.toMatchObject(refusal)
    await nothingQueued()
  })

  test('a target storage that the caller may not view is refused with its id', async () => {
    set.target_storage = target(11)
    await expect(start({})).rejects.toMatchObject({
      kind: 'forbidden',
      message:
        'You may not use cloud storage 11, the target storage of task 1: name another location.',
    })
    await nothingQueued()
  })

  test('a read-only access token cannot write to a cloud storage in any way', async () => {
    const refused = { kind: 'forbidden', message: 'This access token may only read.' }
    await expect(start(there(9), reading)).rejects.toMatchObject(refused)
    await expect(calls.exportEvents(there(9), reading)).rejects.toMatchObject(refused)
    set.target_storage = target(9)
    await expect(start({}, reading)).rejects.toMatchObject(refused)
    await nothingQueued()
    await start({ location: 'local' }, reading)
  })

  test('a file in a cloud storage cannot be downloaded from here', async () => {
    const { rq_id } = await start(there(9))
    await expect(download(rq_id)).rejects.toMatchObject({
      body: ['The export process is not finished'],
    })
    await finishNext()
    expect(await calls.getRequest({ rq_id }, anna)).toMatchObject({
      status: 'finished',
      result_url: null,
    })
    await expect(download(rq_id)).rejects.toMatchObject({
      body: ['The export process has no result file to be downloaded locally'],
    })
  })

  test('a cached file is still transferred to the cloud storage', async () => {
    const { rq_id } = await start({})
    await finishNext()
    for (const call of [anna, bob]) {
      const again = await start(there(9), call)
      expect(await calls.getRequest(again, call)).toMatchObject({
        status: 'queued',
        result_url: null,
      })
      const row = await take()
      expect(readWork(row)).toMatchObject({ result_key: key, result_size: 7 })
      await finishRequest(db, row, { report: null, result: { key, size: 7 }, result_id: null }, 24)
    }
    expect(await blobState(db, key)).toBe('live')
    await expect(download(rq_id)).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('a file in a cloud storage is also the cached result for downloads', async () => {
    await start(there(9))
    await finishNext()
    const { rq_id } = await start({}, bob)
    expect(await calls.getRequest({ rq_id }, bob)).toMatchObject({
      status: 'finished',
      result_url: expect.stringContaining('/tasks/1/dataset/download'),
    })
  })

  test('a file that another request made meanwhile is transferred, not taken as the end', async () => {
    await start({}, bob)
    await start(there(9))
    await finishNext()
    const row = await take()
    expect(await finishFromTwin(db, row, 24)).toBe(false)
    expect(readWork(await withTwinFile(db, row))).toMatchObject({ result_key: key, result_size: 7 })
  })
})
