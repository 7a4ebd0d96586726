import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import type { Service } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { whole } from '../testing/run.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { seenStorages } from '../testing/storages.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { failRequest, finishRequest } from '../worker/leases/repo-endings.ts'

/** Posting of every kind of request. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const org = { organization_id: 2 }
const facts = factsOf({ project_id: 7, task_id: 1, ...org })
const project = factsOf({ target: 'project', project_id: 7, task_id: null, ...org })
const job = factsOf({ target: 'job', project_id: 7, task_id: 1, job_id: 31, ...org })
const empty = factsOf({ project_id: 7, task_id: 3, size: 0, jobs: [], ...org })
const grants = [1, 2].flatMap((user_id) => [
  { target: 'project' as const, id: 0, user_id, facts: { ...project, project_id: null } },
  { target: 'project' as const, id: 7, user_id, facts: project },
  { target: 'task' as const, id: 1, user_id, facts },
  { target: 'task' as const, id: 3, user_id, facts: empty },
  { target: 'job' as const, id: 31, user_id, facts: job },
])
const revision = { etag: '"t1-1"' }
const services = {
  ...noOthers,
  tasks: authorityOf(grants),
  annotations: { getRevision: async () => revision },
  events: { permitEventExport: async <T>(filter: T) => filter },
  storages: { ...noOthers.storages, ...seenStorages({ 9: '' }) },
}
const settings = settingsOf({ queuedPerUser: 2, queuedPerTenant: 3 })
const handlers = requestHandlers({ db, services, settings })
const anna = callAs({ user_id: 1 })
const bob = callAs({ user_id: 2 })
const ttlSeconds = settings.resultTtlHours * 3600

const wanted = { id: 1, format: 'COCO 1.0', ...whole, save_images: false }
const imported = {
  format: 'COCO 1.0',
  import_mode: 'replace',
  conv_mask_to_poly: true,
  file_id: 'a.zip',
  location: 'cloud_storage',
  cloud_storage_id: 9,
}

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  Object.assign(facts, { updated_date: '2026-03-01T10:00:00.000Z', labels_revision: 1 })
  revision.etag = '"t1-1"'
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  return row ?? expect.fail('no request was claimed')
}

type Calls = Service<typeof requests>
type Post = (calls: Calls) => Promise<{ rq_id: string }>

/** Every kind of request: its type, the operation in its record, and the call that posts it. */
const kinds: [type: string, operation: object, post: Post][] = [
  [
    'export:annotations',
    { target: 'task', project_id: 7, task_id: 1, job_id: null, format: 'COCO 1.0' },
    (calls) => calls.exportTaskDataset(wanted, anna),
  ],
  [
    'export:dataset',
    { target: 'project', project_id: 7, task_id: null, format: 'COCO 1.0' },
    (calls) => calls.exportProjectDataset({ ...wanted, id: 7, save_images: true }, anna),
  ],
  [
    'export:backup',
    { target: 'task', task_id: 1, format: null, lightweight: true },
    (calls) => calls.exportTaskBackup({ id: 1, lightweight: true }, anna),
  ],
  [
    'export:events',
    { target: 'events', project_id: null, task_id: null, org_id: null, format: null },
    (calls) => calls.exportEvents({}, anna),
  ],
  [
    'import:annotations',
    { target: 'job', task_id: 1, job_id: 31, format: 'COCO 1.0' },
    (calls) => calls.startImport({ body: { target: 'job', id: 31, ...imported } }, anna),
  ],
  [
    'import:dataset',
    { target: 'project', project_id: 7, task_id: null, format: 'COCO 1.0' },
    (calls) => calls.startImport({ body: { target: 'project', id: 7, ...imported } }, anna),
  ],
  [
    'import:backup',
    { target: 'project', project_id: null, format: null },
    (calls) => calls.startRestore({ body: { target: 'project', ...imported } }, anna),
  ],
  [
    'create:task',
    { target: 'task', project_id: 7, task_id: 3, format: null },
    (calls) => {
      const parameters = { remote_files: ['https://example.org/a.png'] }
      return calls.startDataPreparation({ body: { task_id: 3, files: [], parameters } }, anna)
    },
  ],
]

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const lifeOf = async (rq_id: string) => {
    const { finished_date, expiry_date } = await calls.getRequest({ rq_id }, anna)
    return (Date.parse(expiry_date ?? '') - Date.parse(finished_date ?? '')) / 1000
  }

  describe.each(kinds)('%s', (type, operation, post) => {
    test('its record names its type and operation', async () => {
      const { rq_id } = await post(calls)
      const record = await calls.getRequest({ rq_id }, anna)
      expect(record.operation).toMatchObject({ type, ...operation })
    })

    test('its owner can view it; users with access to its object can when it is one per object', async () => {
      const { rq_id } = await post(calls)
      const isShared = ['import:annotations', 'import:dataset', 'create:task'].includes(type)
      await calls.getRequest({ rq_id }, callAs({ user_id: 9, role: 'admin' }))
      const theirs = calls.getRequest({ rq_id }, bob)
      if (isShared) expect(await theirs).toMatchObject({ id: rq_id, owner: { id: 1 } })
      else await expect(theirs).rejects.toMatchObject({ kind: 'forbidden' })
      const stranger = calls.getRequest({ rq_id }, callAs({ user_id: 5 }))
      await expect(stranger).rejects.toMatchObject({ kind: 'forbidden' })
    })

    test('it is refused when the queue of the user or of the workspace is full', async () => {
      const tenant = type === 'export:events' ? 'user:1' : 'org:2'
      const refusal = { kind: 'too_many', code: 'too_many_requests', retry_after: 60 }
      const fill = (owner_id: number, of: string) => addRequest(db, { owner_id, tenant: of })
      for (const _ of [1, 2]) await fill(1, 'org:9')
      const personal = expect.stringContaining('2 requests of yours')
      await expect(post(calls)).rejects.toMatchObject({ ...refusal, message: personal })

      await sql`truncate requests cascade`.execute(db)
      for (const _ of [1, 2, 3]) await fill(5, tenant)
      const shared = expect.stringContaining('3 requests of this workspace')
      await expect(post(calls)).rejects.toMatchObject({ ...refusal, message: shared })
      await sql`update requests set status = 'started'`.execute(db)
      await post(calls)
    })

    test('its record is kept for a day (exports), an hour (others) or thirty days (failed)', async () => {
      const isExport = type.startsWith('export')
      const { rq_id } = await post(calls)
      await finishRequest(db, await take(), { report: null, result: null, result_id: null }, 24)
      expect(await lifeOf(rq_id)).toBe(isExport ? 24 * 3600 : 3600)
      const { rq_id: second } = await post(calls)
      await failRequest(db, await take(), 'no', 24)
      expect(await lifeOf(second)).toBe((isExport ? 1 : 30) * 24 * 3600)
    })
  })

  describe('an export with a cached result', () => {
    const statusOf = async (given: Partial<Parameters<Calls['exportTaskDataset']>[0]> = {}) => {
      const { rq_id } = await calls.exportTaskDataset({ ...wanted, ...given }, anna)
      return (await calls.getRequest({ rq_id }, anna)).status
    }
    beforeEach(async () => {
      await calls.exportTaskDataset(wanted, bob)
      const result = { key: 'requests/results/u/1', size: 7 }
      await finishRequest(db, await take(), { report: null, result, result_id: null }, 24)
    })

    test.each<[string, () => unknown]>([
      ['annotations', () => Object.assign(revision, { etag: '"t1-2"' })],
      ['the task', () => Object.assign(facts, { updated_date: '2026-03-01T10:00:01.000Z' })],
      ['labels', () => Object.assign(facts, { labels_revision: 2 })],
    ])('is not used after a change of %s', async (_, change) => {
      change()
      expect(await statusOf()).toBe('queued')
    })

    test.each([
      ['with images', { save_images: true }],
      ['of some frames', { frames: [{ first: 0, last: 1 }] }],
      ['of sure shapes', { min_score: 0.5 }],
    ])('is not used for another export %s', async (_, given) => {
      expect(await statusOf(given)).toBe('queued')
    })

    test('is finished in the answer without a worker, also when the queue is full', async () => {
      for (const _ of [1, 2, 3]) await addRequest(db, { owner_id: 1, tenant: 'org:2' })
      expect(await statusOf()).toBe('finished')
      const claims = await db.selectFrom('requests').select('attempt').where('attempt', '>', 0)
      expect(await claims.execute()).toHaveLength(1)
    })

    test('extends the lifetime of both records', async () => {
      await sql`update requests set expiry_date = now() + interval '1 hour'`.execute(db)
      expect(await statusOf()).toBe('finished')
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from expiry_date - now())::float8 as seconds from requests`.execute(db)
      expect(rows).toHaveLength(2)
      for (const { seconds } of rows) expect(seconds).toBeGreaterThan(ttlSeconds - 60)
    })

    test('is made again when the cached result has expired', async () => {
      await sql`update requests set expiry_date = now() - interval '1 second'`.execute(db)
      expect(await statusOf()).toBe('queued')
    })
  })
})
