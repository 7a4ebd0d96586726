import { requests } from '@reticle/contracts/api/requests'
import type { EventFilter } from '@reticle/contracts/rest/events'
import { factsOf } from '@reticle/contracts/testing/records'
import { forbidden, notFound } from '@reticle/kit/call/errors'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { whole } from '../testing/run.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { finishRequest } from '../worker/leases/repo-endings.ts'

/** Downloads check the current permissions, not those at the time of the export. */

const db = await testDb<RequestsDb>(migrations, 'requests')
/** Current permissions of the caller, which tests revoke. */
const rights = { project: 'yes', task: 'yes', job: 'yes', events: 'all' }
const asked: string[] = []
const tasks = {
  ...authorityOf([]),
  authorize: async ({ target, action }: { target: 'project' | 'task' | 'job'; action: string }) => {
    asked.push(action)
    if (rights[target] === 'no') throw forbidden()
    if (rights[target] === 'deleted') throw notFound()
    return factsOf({ target, organization_id: 2 })
  },
}
const events = {
  permitEventExport: async (filter: EventFilter) => {
    if (rights.events === 'none') throw forbidden()
    return rights.events === 'all' ? filter : { ...filter, user_id: 1 }
  },
}
const annotations = { getRevision: async () => ({ etag: '"t1-1"' }) }
const services = { ...noOthers, tasks, annotations, events }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1, username: 'anna' })
const admin = callAs({ user_id: 9, role: 'admin' })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  Object.assign(rights, { project: 'yes', task: 'yes', job: 'yes', events: 'all' })
  asked.length = 0
})

async function finishNext() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  const result = { key: 'requests/results/u/1', size: 7 }
  await finishRequest(db, row, { report: null, result, result_id: null }, 24)
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const wanted = { id: 1, format: 'COCO 1.0', ...whole, save_images: false }
  const exports = {
    project: () => calls.exportProjectDataset(wanted, anna),
    task: () => calls.exportTaskDataset(wanted, anna),
    job: () => calls.exportJobDataset(wanted, anna),
    'project backup': () => calls.exportProjectBackup({ id: 1, lightweight: true }, anna),
    'task backup': () => calls.exportTaskBackup({ id: 1, lightweight: true }, anna),
  }
  type Kind = keyof typeof exports
  const kinds: Kind[] = ['project', 'task', 'job', 'project backup', 'task backup']
  const targetOf = (kind: Kind) =>
    kind.startsWith('project') ? 'project' : kind === 'job' ? 'job' : 'task'
  const exported = async (kind: Kind) => {
    const { rq_id } = await exports[kind]()
    await finishNext()
    asked.length = 0
    return { target: targetOf(kind), id: 1, rq_id } as const
  }

  test.each(kinds)('a %s is downloaded while its owner may export the object', async (kind) => {
    const file = await exported(kind)
    await calls.getResultFile(file, anna)
    expect(asked).toEqual(['export'])
  })

  test.each(kinds)('a %s is not downloaded without permission to view the object', async (kind) => {
    const file = await exported(kind)
    rights[targetOf(kind)] = 'no'
    for (const is_last of [undefined, true])
      await expect(calls.getResultFile({ ...file, is_last }, anna)).rejects.toMatchObject({
        kind: 'forbidden',
      })
    await calls.getResultFile(file, admin)
    rights[targetOf(kind)] = 'yes'
    await calls.getResultFile(file, anna)
  })

  test('the file of a deleted object has expired', async () => {
    const file = await exported('task')
    rights.task = 'deleted'
    await expect(calls.getResultFile(file, anna)).rejects.toMatchObject({ code: 'result_expired' })
  })

  test.each([
    ['sees only their own events now', 'own', 'forbidden'],
    ['sees no events now', 'none', 'forbidden'],
  ])('events of an organization are not downloaded when the owner %s', async (_, now, kind) => {
    const { rq_id } = await calls.exportEvents({ org_id: 2 }, anna)
    await finishNext()
    const file = { target: 'events', id: 0, rq_id } as const
    await calls.getResultFile(file, anna)
    rights.events = now
    for (const is_last of [undefined, true])
      await expect(calls.getResultFile({ ...file, is_last }, anna)).rejects.toMatchObject({ kind })
    await calls.getResultFile(file, admin)
  })
})
