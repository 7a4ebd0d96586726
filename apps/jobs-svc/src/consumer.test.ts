import { requests as table } from '@reticle/contracts/api/requests'
import { organizationDeleted } from '@reticle/contracts/events/organizations'
import { projectDeleted, projectMoved } from '@reticle/contracts/events/projects'
import {
  draftDropped,
  jobDeleted,
  taskCreated,
  taskDeleted,
  taskMoved,
} from '@reticle/contracts/events/tasks'
import { userDeleted } from '@reticle/contracts/events/users'
import {
  jobRecord,
  organizationRecord,
  projectRecord,
  taskRecord,
  userRecord,
} from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { createDeliverer } from '@reticle/kit/testing/events'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { followObjects } from './consumer.ts'
import { migrations } from './db/migrations/index.ts'
import type { RequestsDb } from './db/schema.ts'
import { requestHandlers } from './server.ts'
import { makeLive, registerPending } from './storage/repo-objects.ts'
import { addRequest, blobState, readRequest } from './testing/rows.ts'
import { authorityOf, noOthers } from './testing/services.ts'
import { settingsOf } from './testing/settings.ts'
import { claimRequest } from './worker/leases/repo-claims.ts'
import { enterFinal } from './worker/leases/repo-leases.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const arrives = createDeliverer(db, followObjects(24))

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

async function addBlob(key: string, task_id: number | null) {
  await registerPending(db, { key, kind: 'media', task_id })
  await makeLive(db, key)
}
const stateOf = (key: string) => blobState(db, key)

test('a deleted task fails its requests and deletes its media and results, not those of others', async () => {
  const key = 'requests/results/u/1'
  await addBlob('media/1/', 1)
  await addBlob('media/2/', 2)
  await addBlob(key, null)
  for (const task_id of [1, 2])
    await db.insertInto('chunks').values({ task_id, name: 'c', data_revision: 1 }).execute()
  const queued = await addRequest(db, { task_id: 1 })
  const finished = await addRequest(db, { task_id: 1, status: 'finished', result_key: key })
  const other = await addRequest(db, { task_id: 2 })

  await arrives(taskDeleted, { task: taskRecord({ id: 1 }), job_ids: [31] })

  expect(await readRequest(db, queued)).toMatchObject({
    status: 'failed',
    message: 'The task was deleted',
  })
  expect(await readRequest(db, finished)).toMatchObject({ status: 'finished', result_key: null })
  expect(await readRequest(db, other)).toMatchObject({ status: 'queued' })
  expect([await stateOf('media/1/'), await stateOf('media/2/'), await stateOf(key)]).toEqual([
    'dead',
    'live',
    'dead',
  ])
  const events = await db.selectFrom('outbox').select('type').execute()
  expect(events).toEqual([{ type: 'request.finished' }])
  const chunks = await db.selectFrom('chunks').select('task_id').execute()
  expect(chunks).toEqual([{ task_id: 2 }])
})

test('media of tasks that an import did not publish is deleted', async () => {
  await addBlob('media/1/', 1)
  await addBlob('media/2/', 2)
  await arrives(draftDropped, { draft_id: 'd', task_ids: [1] })
  expect([await stateOf('media/1/'), await stateOf('media/2/')]).toEqual(['dead', 'live'])
})

test('a started request of a deleted task cannot enter its final transaction', async () => {
  await addRequest(db, { task_id: 1 })
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  await arrives(taskDeleted, { task: taskRecord({ id: 1 }), job_ids: [] })
  expect(await enterFinal(db, row)).toBe(false)
})

test('a deleted job fails its requests, but not those of its task', async () => {
  const ofJob = await addRequest(db, { target: 'job', job_id: 31, task_id: 1 })
  const ofTask = await addRequest(db, { task_id: 1 })
  await arrives(jobDeleted, { job: jobRecord({ id: 31 }) })
  expect(await readRequest(db, ofJob)).toMatchObject({ status: 'failed' })
  expect(await readRequest(db, ofTask)).toMatchObject({ status: 'queued' })
})

test('a deleted project fails the requests and deletes the media of its tasks', async () => {
  await addBlob('media/1/', 1)
  const ofTask = await addRequest(db, { task_id: 1, project_id: 7 })
  await arrives(projectDeleted, { project: projectRecord({ id: 7 }), task_ids: [1] })
  expect(await readRequest(db, ofTask)).toMatchObject({
    status: 'failed',
    message: 'The project was deleted',
  })
  expect(await stateOf('media/1/')).toBe('dead')
})

test('a deleted account loses its requests and results, other accounts keep theirs', async () => {
  const key = 'requests/results/u/2'
  await addBlob(key, null)
  const queued = await addRequest(db, { task_id: 1, owner_id: 3 })
  const finished = { status: 'finished', result_key: key } as const
  const done = await addRequest(db, { task_id: 2, owner_id: 3, ...finished })
  const other = await addRequest(db, { task_id: 1, owner_id: 4 })
  await arrives(userDeleted, { user: userRecord({ id: 3 }) })
  expect(await readRequest(db, queued)).toMatchObject({
    status: 'failed',
    message: 'The user was deleted',
  })
  expect(await readRequest(db, done)).toMatchObject({ status: 'finished', result_key: null })
  expect(await stateOf(key)).toBe('dead')
  expect(await readRequest(db, other)).toMatchObject({ status: 'queued' })
})

test('a repeated event changes nothing', async () => {
  await addRequest(db, { task_id: 1 })
  const event = { task: taskRecord({ id: 1 }), job_ids: [] }
  await arrives(taskDeleted, event)
  await arrives(taskDeleted, event)
  expect((await db.selectFrom('outbox').select('type').execute()).length).toBe(1)
})

test('other events are ignored', async () => {
  await arrives(taskCreated, { task: taskRecord() })
})

const services = {
  tasks: authorityOf([]),
  annotations: { getRevision: async () => ({ etag: '' }) },
  ...noOthers,
}
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anybody = callAs({ user_id: 3 })

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
