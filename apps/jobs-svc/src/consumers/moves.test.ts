import { requests as table } from '@reticle/contracts/api/requests'
import { organizationDeleted } from '@reticle/contracts/events/organizations'
import { projectMoved } from '@reticle/contracts/events/projects'
import { taskMoved } from '@reticle/contracts/events/tasks'
import { organizationRecord } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest, readRequest } from '../testing/rows.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { followObjects } from './objects.ts'

/** Project and organization of requests after a move, and whether requests are running. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const arrives = createDeliverer(db, followObjects(24))
const services = {
  tasks: authorityOf([]),
  annotations: { getRevision: async () => ({ etag: '' }) },
  ...noOthers,
}
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anybody = callAs({ user_id: 3 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

const place = async (row: { request_uuid: string }) => {
  const { project_id, org_id, tenant } = await readRequest(db, row)
  return { project_id, org_id, tenant }
}

test('requests of a moved task get its project and organization, but keep their tenant', async () => {
  const row = await addRequest(db, { task_id: 1, org_id: 2, tenant: 'org:2', status: 'finished' })
  const other = await addRequest(db, { task_id: 2, org_id: 2 })
  await arrives(taskMoved, { task_id: 1, project_id: 7, organization_id: 5 })
  expect(await place(row)).toEqual({ project_id: 7, org_id: 5, tenant: 'org:2' })
  expect(await place(other)).toMatchObject({ project_id: null, org_id: 2 })
})

test('requests of a moved project get its organization', async () => {
  const row = await addRequest(db, { project_id: 7, org_id: 2 })
  const other = await addRequest(db, { project_id: 8, org_id: 2 })
  await arrives(projectMoved, { project_id: 7, organization_id: null })
  expect(await place(row)).toMatchObject({ project_id: 7, org_id: null })
  expect(await place(other)).toMatchObject({ org_id: 2 })
})

test('requests of a deleted organization lose their organization', async () => {
  const row = await addRequest(db, { org_id: 2 })
  const other = await addRequest(db, { org_id: 3 })
  await arrives(organizationDeleted, { organization: organizationRecord({ id: 2 }) })
  expect(await place(row)).toMatchObject({ org_id: null })
  expect(await place(other)).toMatchObject({ org_id: 3 })
})

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, table, handlers)
  const running = async (target: 'project' | 'task' | 'organization', id: number) =>
    (await calls.findRunning({ target, id }, anybody)).is_running

  test.each(['queued', 'started'] as const)('a %s request is running', async (status) => {
    await addRequest(db, { status, job_id: 31, task_id: 1, project_id: 7, org_id: 2 })
    expect(await running('project', 7)).toBe(true)
    expect(await running('task', 1)).toBe(true)
    expect(await running('organization', 2)).toBe(true)
    for (const target of ['project', 'task', 'organization'] as const)
      expect(await running(target, 8)).toBe(false)
  })

  test.each(['finished', 'failed'] as const)('a %s request is not running', async (status) => {
    await addRequest(db, { status, task_id: 1, project_id: 7, org_id: 2 })
    expect(await running('project', 7)).toBe(false)
    expect(await running('task', 1)).toBe(false)
    expect(await running('organization', 2)).toBe(false)
  })

  test('an export of the event log is not running in any organization', async () => {
    await addRequest(db, { target: 'events', target_id: 0, task_id: null, org_id: 2 })
    expect(await running('organization', 2)).toBe(false)
  })
})
