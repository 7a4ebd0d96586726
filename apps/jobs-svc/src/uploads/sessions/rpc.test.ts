import { requests } from '@reticle/contracts/api/requests'
import { projectDeleted } from '@reticle/contracts/events/projects'
import { taskDeleted } from '@reticle/contracts/events/tasks'
import { factsOf, projectRecord, taskRecord } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { createDeliverer } from '@reticle/kit/testing/events'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { followObjects } from '../../consumer.ts'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { requestHandlers } from '../../server.ts'
import { authorityOf, noOthers } from '../../testing/services.ts'
import { settingsOf } from '../../testing/settings.ts'
import { claimRequest } from '../../worker/leases/repo-claims.ts'
import { failRequest, finishRequest } from '../../worker/leases/repo-endings.ts'

/** Files of several requests for one task are collected in a data-upload session. */

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const arrives = createDeliverer(db, followObjects(24))
const empty = factsOf({ size: 0, jobs: [] })
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: empty },
  { target: 'task', id: 1, user_id: 2, facts: empty },
  { target: 'task', id: 2, user_id: 1, facts: factsOf({ task_id: 2 }) },
])
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks, annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const narrow = requestHandlers({ db, services, settings: settingsOf({ uploadBytesPerUser: 100 }) })
const anna = callAs({ user_id: 1 })
const bob = callAs({ user_id: 2 })
const rq_id = 'action=create&target=task&target_id=1'

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

const states = async () => {
  const rows = await db.selectFrom('blobs').select(['kind', 'state']).orderBy('key').execute()
  return rows.map(({ kind, state }) => `${kind} ${state}`)
}

async function claimNext() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  return row
}
const done = { report: null, result: null, result_id: 1 }

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const forData = { purpose: 'data', target: 'task', id: 1 } as const
  const open = (caller = anna) => calls.openSession({ id: 1 }, caller)

  async function add(names: readonly string[], caller = anna) {
    const { upload_id, prefix } = await open(caller)
    const files = names.map((name) => ({ name, key: `${prefix}${name}-${Math.random()}`, size: 7 }))
    await calls.addFiles({ body: { upload_id, task_id: 1, files } }, caller)
  }
  const create = (name: string, length = 9, caller = anna) =>
    calls.createFile({ ...forData, name, length }, caller)
  async function send(file_id: string, offset: number, bytes: number, caller = anna) {
    const chunk = { ...forData, file_id, offset, bytes }
    const { lease } = await calls.openChunk(chunk, caller)
    if (lease === undefined) throw new Error('the upload session was not opened')
    await calls.noteChunk({ file_id, lease, offset: offset + bytes, is_over: true }, caller)
  }
  const start = (caller = anna, files: { name: string; key: string; size: number }[] = []) =>
    calls.startDataPreparation({ body: { task_id: 1, files, parameters: {} } }, caller)
  const namesOf = (row: { params: unknown }) =>
    Reflect.get(Object(row.params), 'files').map(({ name }: { name: string }) => name)

  test('all users with upload permission for a task share one session', async () => {
    const opened = await Promise.all([open(anna), open(bob), open(anna)])
    expect(new Set(opened.map(({ upload_id }) => upload_id)).size).toBe(1)
    expect(await states()).toEqual(['upload pending'])
  })

  test('files of several requests become media together, in the order of their creation', async () => {
    await add(['c.png', 'a.png'])
    const { file_id } = await create('folder/b.png')
    await add(['d.png'], bob)
    await send(file_id, 0, 9)
    expect(await start()).toEqual({ rq_id })
    const row = await claimNext()
    expect(namesOf(row)).toEqual(['c.png', 'a.png', 'folder/b.png', 'd.png'])
    expect(await states()).toEqual(['upload live'])
    await finishRequest(db, row, done, 24)
    expect(await states()).toEqual(['media live'])
    expect(await db.selectFrom('uploads').selectAll().execute()).toEqual([])
    expect(await db.selectFrom('uploaded_files').selectAll().execute()).toEqual([])
  })

  test('files of the last request are added to the others', async () => {
    await add(['a.png'])
    const { prefix } = await open()
    await start(anna, [{ name: 'b.png', key: `${prefix}x/0`, size: 3 }])
    expect(namesOf(await claimNext())).toEqual(['a.png', 'b.png'])
  })

  test('starting without any file is refused, and queues no request', async () => {
    const nothing = { body: { client_files: ['No file was submitted.'] } }
    await expect(start()).rejects.toMatchObject(nothing)
    await open()
    await expect(start()).rejects.toMatchObject(nothing)
    expect(await db.selectFrom('requests').selectAll().execute()).toEqual([])
  })

  test('starting with an incomplete file is refused with its name', async () => {
    await add(['a.png'])
    const { file_id } = await create('b.png')
    await send(file_id, 0, 4)
    const text = 'Of the file b.png only 4 of 9 bytes have arrived: send the others, or DELETE it.'
    await expect(start()).rejects.toMatchObject({ body: { client_files: [text] } })
    await calls.deleteTaskDataFile({ id: 1, file_id }, anna)
    await start()
    expect(namesOf(await claimNext())).toEqual(['a.png'])
  })

  test('a name that exists is taken', async () => {
    await add(['a.png'])
    await expect(create('a.png')).rejects.toMatchObject({ kind: 'conflict', code: 'file_exists' })
    await expect(add(['b.png', 'a.png'])).rejects.toMatchObject({
      body: { client_files: ['The file a.png was submitted already.'] },
    })
    await start()
    expect(namesOf(await claimNext())).toEqual(['a.png'])
  })

  test('a user may restart an own incomplete file, but not one of another user', async () => {
    const first = await create('a.png')
    await send(first.file_id, 0, 4)
    await expect(create('a.png', 9, bob)).rejects.toMatchObject({ code: 'file_exists' })
    const second = await create('a.png')
    const asked = { ...forData, file_id: first.file_id }
    await expect(calls.findFile(asked, anna)).rejects.toMatchObject({ kind: 'not_found' })
    await send(second.file_id, 0, 9)
    await expect(create('a.png')).rejects.toMatchObject({ code: 'file_exists' })
  })

  test('while a creation runs, files cannot be added or deleted, and no session starts', async () => {
    await add(['a.png'])
    const { prefix, upload_id } = await open()
    const { file_id } = await create('b.png', 0)
    await start()
    const files = [{ name: 'c.png', key: `${prefix}c`, size: 1 }]
    const attempts = [
      () => calls.addFiles({ body: { upload_id, task_id: 1, files } }, anna),
      () => create('c.png'),
      () => open(),
      () => start(bob),
      () => calls.deleteTaskData({ id: 1 }, anna),
      () => calls.deleteTaskDataFile({ id: 1, file_id }, anna),
      () => calls.checkUpload(forData, bob),
    ]
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({ kind: 'conflict', body: { rq_id } })
    expect(namesOf(await claimNext())).toEqual(['a.png', 'b.png'])
  })

  test('of two concurrent starts one creates the request, the other conflicts', async () => {
    await add(['a.png'])
    const outcomes = await Promise.allSettled([start(anna), start(bob)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [refused] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toMatchObject({ kind: 'conflict', body: { rq_id } })
  })

  test('files of a failed creation stay for the next one, and may be replaced', async () => {
    await add(['a.png', 'b.png'])
    await start()
    await failRequest(db, await claimNext(), 'b.png: the image cannot be read', 24)
    expect(await states()).toEqual(['upload pending'])

    await add(['b.png', 'c.png'])
    await expect(add(['c.png'])).rejects.toMatchObject({ kind: 'invalid' })
    expect(await states()).toEqual(['upload pending', 'upload dead'])
    const { file_id } = await create('a.png')
    await send(file_id, 0, 9)
    await start(bob)
    const row = await claimNext()
    expect(namesOf(row).sort()).toEqual(['a.png', 'b.png', 'c.png'])
    await finishRequest(db, row, done, 24)
    expect((await states()).filter((one) => one !== 'upload dead')).toEqual(['media live'])
  })

  test('a cancelled creation keeps its files', async () => {
    await add(['a.png'])
    await start()
    await calls.cancelRequest({ rq_id }, anna)
    await start()
    expect(namesOf(await claimNext())).toEqual(['a.png'])
  })

  test('an unused upload can be deleted, repeatedly', async () => {
    await calls.deleteTaskData({ id: 1 }, anna)
    await add(['a.png'])
    await calls.deleteTaskData({ id: 1 }, bob)
    expect(await states()).toEqual(['upload dead'])
    await expect(start()).rejects.toMatchObject({ kind: 'invalid' })
    await add(['a.png'])
    await start()
  })

  test('media cannot be deleted as an upload', async () => {
    const attempt = calls.deleteTaskData({ id: 2 }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'conflict', code: 'data_initialized' })
  })

  test('a session expires twelve hours after its last change', async () => {
    await add(['a.png'])
    const long = new Date(Date.now() - 13 * 3_600_000)
    await db.updateTable('uploads').set({ used_date: long }).execute()
    await expect(start()).rejects.toMatchObject({ kind: 'invalid' })
    await add(['a.png'])
    await start()
    expect(namesOf(await claimNext())).toEqual(['a.png'])
  })

  test('files for an expired session are refused', async () => {
    const { upload_id, prefix } = await open()
    await calls.deleteTaskData({ id: 1 }, anna)
    const files = [{ name: 'a.png', key: `${prefix}0`, size: 1 }]
    const attempt = calls.addFiles({ body: { upload_id, task_id: 1, files } }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('media of a single request ends the session beside it', async () => {
    await add(['a.png'])
    const { upload_id, prefix } = await calls.openUpload(forData, anna)
    const files = [{ name: 'b.png', key: `${prefix}0`, size: 1 }]
    const body = { upload_id, task_id: 1, files, parameters: {} }
    await calls.startDataPreparation({ body }, anna)
    const row = await claimNext()
    expect(namesOf(row)).toEqual(['b.png'])
    await finishRequest(db, row, done, 24)
    expect((await states()).sort()).toEqual(['media live', 'upload dead'])
  })

  test.each([
    ['itself', () => arrives(taskDeleted, { task: taskRecord({ id: 1 }), job_ids: [] })],
    [
      'its project',
      () => arrives(projectDeleted, { project: projectRecord({ id: 7 }), task_ids: [1] }),
    ],
  ])('the session of a task is deleted with %s', async (_, remove) => {
    await add(['a.png'])
    await start()
    await failRequest(db, await claimNext(), 'no', 24)
    await remove()
    expect(await states()).toEqual(['upload dead'])
  })

  test('files in use by a creation are deleted with the task', async () => {
    await add(['a.png'])
    await start()
    await arrives(taskDeleted, { task: taskRecord({ id: 1 }), job_ids: [] })
    expect(await states()).toEqual(['upload dead'])
  })

  test('a session requires permission, and a task without media', async () => {
    await expect(open(callAs({ user_id: 7 }))).rejects.toMatchObject({ kind: 'forbidden' })
    const attempt = calls.openSession({ id: 2 }, anna)
    await expect(attempt).rejects.toMatchObject({ body: ['Adding more data is not supported'] })
    expect(await states()).toEqual([])
  })

  test('many files are added at once', async () => {
    await add(Array.from({ length: 10_000 }, (_, at) => `${at}.png`))
    await start()
    expect(namesOf(await claimNext()).length).toBe(10_000)
  })
})

describe.each(transports)('the quota of unused uploads, over %s', (transport) => {
  const calls = overTransport(transport, requests, narrow)
  const create = (name: string, length: number, caller = anna) =>
    calls.createFile({ purpose: 'data', target: 'task', id: 1, name, length }, caller)
  const full = { kind: 'too_large', code: 'uploads_full' }

  test('counts announced files per user', async () => {
    await create('a', 60)
    await expect(create('b', 41)).rejects.toMatchObject({
      ...full,
      message: expect.stringContaining('have 60 bytes, at most 100 are kept'),
    })
    await create('b', 40)
    await create('c', 100, bob)
    await expect(create('d', 1)).rejects.toMatchObject(full)
    await expect(calls.openSession({ id: 1 }, anna)).rejects.toMatchObject(full)
  })

  test('counts files of forms for their sender, also in the session of another user', async () => {
    const { upload_id, prefix } = await calls.openSession({ id: 1 }, bob)
    const files = [{ name: 'a', key: `${prefix}a`, size: 100 }]
    await calls.addFiles({ body: { upload_id, task_id: 1, files } }, anna)
    await expect(create('b', 1)).rejects.toMatchObject(full)
    await create('b', 100, bob)
  })

  test('is freed when a file or the session is deleted', async () => {
    const { file_id } = await create('a', 100)
    await calls.deleteTaskDataFile({ id: 1, file_id }, anna)
    await create('b', 100)
    await calls.deleteTaskData({ id: 1 }, anna)
    await create('c', 100)
  })

  test('is not reserved twice by concurrent requests', async () => {
    const asked = await Promise.allSettled(['a', 'b', 'c'].map((name) => create(name, 60)))
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
})
