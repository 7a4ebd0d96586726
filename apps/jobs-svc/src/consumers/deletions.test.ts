import type { Handle } from '@reticle/kit/bus/bus'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { makeLive, registerPending } from '../objects/repo.ts'
import { claim, enterFinal } from '../requests/lease.ts'
import { jobRecord, projectRecord, taskRecord } from '../testing/records.ts'
import { addRequest, readRequest } from '../testing/rows.ts'
import { followDeletions } from './deletions.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const handle: Handle<RequestsDb> = followDeletions(24)

const arrives = (type: string, data: unknown) =>
  db.transaction().execute((tx) =>
    handle(tx, {
      id: crypto.randomUUID(),
      type,
      version: 1,
      occurred_date: '2026-01-01T00:00:00.000Z',
      organization_id: null,
      actor: null,
      request_id: 'test',
      key: 'task:1',
      data,
    }),
  )

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox`.execute(db)
})

async function addBlob(key: string, task_id: number | null) {
  await registerPending(db, { key, kind: 'media', task_id })
  await makeLive(db, key)
}
const stateOf = async (key: string) => {
  const blob = await db
    .selectFrom('blobs')
    .select('state')
    .where('key', '=', key)
    .executeTakeFirst()
  return blob?.state
}

test('requests of a deleted task end, its media and results die, those of others stay', async () => {
  const key = 'requests/results/u/1'
  await addBlob('media/1/', 1)
  await addBlob('media/2/', 2)
  await addBlob(key, null)
  const queued = await addRequest(db, { task_id: 1 })
  const finished = await addRequest(db, { task_id: 1, status: 'finished', result_key: key })
  const other = await addRequest(db, { task_id: 2 })

  await arrives('delete:task', { task: taskRecord({ id: 1 }), job_ids: [31] })

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
})

test('a started request of a deleted task is taken from its worker', async () => {
  await addRequest(db, { task_id: 1 })
  const row = await claim(db, { worker: 'w', tenant_concurrency: 4 })
  if (!row) throw new Error('nothing was claimed')
  await arrives('delete:task', { task: taskRecord({ id: 1 }), job_ids: [] })
  expect(await enterFinal(db, row)).toBe(false)
})

test('a deleted job takes its requests along, but not those of its task', async () => {
  const ofJob = await addRequest(db, { target: 'job', job_id: 31, task_id: 1 })
  const ofTask = await addRequest(db, { task_id: 1 })
  await arrives('delete:job', { job: jobRecord({ id: 31 }) })
  expect(await readRequest(db, ofJob)).toMatchObject({ status: 'failed' })
  expect(await readRequest(db, ofTask)).toMatchObject({ status: 'queued' })
})

test('a deleted project takes the requests and media of its tasks along', async () => {
  await addBlob('media/1/', 1)
  const ofTask = await addRequest(db, { task_id: 1, project_id: 7 })
  await arrives('delete:project', { project: projectRecord({ id: 7 }), task_ids: [1] })
  expect(await readRequest(db, ofTask)).toMatchObject({
    status: 'failed',
    message: 'The project was deleted',
  })
  expect(await stateOf('media/1/')).toBe('dead')
})

test('an event that comes twice does nothing the second time', async () => {
  await addRequest(db, { task_id: 1 })
  const event = { task: taskRecord({ id: 1 }), job_ids: [] }
  await arrives('delete:task', event)
  await arrives('delete:task', event)
  expect((await db.selectFrom('outbox').select('type').execute()).length).toBe(1)
})

test('other events are nothing to this group', async () => {
  await arrives('create:task', { anything: true })
})
