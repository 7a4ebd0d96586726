import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { registerPending } from '../storage/repo-objects.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { readWork } from '../work/request-work.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { finishRequest } from '../worker/leases/repo-endings.ts'

/** Requests for backups and restores. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const project = factsOf({ target: 'project', name: 'Street/Scenes', project_id: 7, task_id: null })
const grants = [
  { target: 'project', id: 7, user_id: 1, facts: { ...project, size: 0 } },
  { target: 'task', id: 1, user_id: 1, facts: factsOf({ name: 'Batch 1' }) },
  { target: 'task', id: 2, user_id: 1, facts: factsOf({ task_id: 2, size: 0 }) },
] as const
const annotations = { getRevision: async () => ({ etag: '' }) }
const services = { tasks: authorityOf(grants), annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1, username: 'anna' })
const bo = callAs({ user_id: 2 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  return row
}

async function finishNext(key = 'requests/results/u/1') {
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
  const light = { lightweight: true }

  test('a backup has a request whose id and record describe it', async () => {
    const { rq_id } = await calls.exportProjectBackup({ id: 7, ...light }, anna)
    expect(rq_id).toBe(
      'action=export&target=project&target_id=7&user_id=1&lightweight=True&subresource=backup',
    )
    expect((await calls.getRequest({ rq_id }, anna)).operation).toMatchObject({
      type: 'export:backup',
      target: 'project',
      project_id: 7,
      task_id: null,
      format: null,
      lightweight: true,
    })
    expect(readWork(await take())).toMatchObject({ subresource: 'backup', target_id: 7 })
  })

  test('a complete backup is another request than a lightweight one', async () => {
    const { rq_id } = await calls.exportTaskBackup({ id: 1, lightweight: false }, anna)
    expect(rq_id).toBe('action=export&target=task&target_id=1&user_id=1&subresource=backup')
    expect((await calls.getRequest({ rq_id }, anna)).operation.lightweight).toBe(false)
    await calls.exportTaskBackup({ id: 1, ...light }, anna)
  })

  test('a second request for the same backup conflicts while the first runs', async () => {
    const { rq_id } = await calls.exportTaskBackup({ id: 1, ...light }, anna)
    const again = calls.exportTaskBackup({ id: 1, ...light }, anna)
    await expect(again).rejects.toMatchObject({ kind: 'conflict', body: { rq_id } })
  })

  test('the file of a backup is named after its object, and has the download path of backups', async () => {
    const fetched = async (rq_id: string, target: 'project' | 'task', id: number) => {
      const { filename } = await calls.getResultFile({ target, id, rq_id }, anna)
      return [filename, (await calls.getRequest({ rq_id }, anna)).result_url?.split('?')[0]]
    }
    const one = await calls.exportProjectBackup({ id: 7, ...light }, anna)
    await finishNext()
    expect(await fetched(one.rq_id, 'project', 7)).toEqual([
      'project_street_scenes_backup-lightweight_2026_03_01_10_00_00.zip',
      '/projects/7/backup/download',
    ])
    const two = await calls.exportTaskBackup({ id: 1, lightweight: false }, anna)
    await finishNext('requests/results/u/2')
    expect(await fetched(two.rq_id, 'task', 1)).toEqual([
      'task_batch 1_backup_2026_03_01_10_00_00.zip',
      '/tasks/1/backup/download',
    ])
    await calls.exportTaskBackup({ id: 1, lightweight: false, filename: 'Mine.zip' }, anna)
    await finishNext('requests/results/u/3')
    expect((await fetched(two.rq_id, 'task', 1))[0]).toBe('Mine.zip')
  })

  test('a backup is never taken from a cached result', async () => {
    await calls.exportTaskBackup({ id: 1, ...light }, anna)
    await finishNext()
    const { rq_id } = await calls.exportTaskBackup({ id: 1, ...light }, anna)
    expect((await calls.getRequest({ rq_id }, anna)).status).toBe('queued')
  })

  test.each([
    ['a task without media', { id: 2, ...light }, anna, 'invalid'],
    ['another place', { id: 1, ...light, location: 'moon' }, anna, 'invalid'],
    ['a storage nobody names', { id: 1, ...light, location: 'cloud_storage' }, anna, 'invalid'],
    ['a path for a name', { id: 1, ...light, filename: '../x' }, anna, 'invalid'],
    ['a stranger', { id: 1, ...light }, bo, 'forbidden'],
    ['no such task', { id: 99, ...light }, anna, 'not_found'],
  ])('%s is refused', async (_, input, call, kind) => {
    await expect(calls.exportTaskBackup(input, call)).rejects.toMatchObject({ kind })
  })

  test('a project without media has a backup', async () => {
    await calls.exportProjectBackup({ id: 7, ...light }, anna)
    expect((await take()).size_class).toBe('large')
  })
})
