import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { readWork } from '../work/request-work.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { failRequest, finishRequest } from '../worker/leases/repo-endings.ts'
import { enterFinal } from '../worker/leases/repo-leases.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
await checkEmitOrder(db, { request: 'tenant_turns' })
const job = factsOf({ target: 'job', task_id: 2, job_id: 31 })
const project = factsOf({ target: 'project', project_id: 7, task_id: null, size: 0, jobs: [] })
const empty = factsOf({ size: 0, jobs: [] })
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: empty },
  { target: 'task', id: 1, user_id: 2, facts: empty },
  { target: 'task', id: 2, user_id: 1, facts: factsOf({ task_id: 2 }) },
  { target: 'task', id: 2, user_id: 2, facts: factsOf({ task_id: 2 }) },
  { target: 'job', id: 31, user_id: 1, facts: job },
  { target: 'project', id: 7, user_id: 1, facts: project },
])
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks, annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1 })
const bob = callAs({ user_id: 2 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

const blobStates = () => db.selectFrom('blobs').select(['kind', 'state', 'task_id']).execute()

async function claimNext() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  return row
}

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const forData = { purpose: 'data', target: 'task', id: 1 } as const
  const forImport = { purpose: 'annotations', target: 'task', id: 2, format: 'COCO 1.0' } as const

  async function uploadedData() {
    const { upload_id, prefix } = await calls.openUpload(forData, anna)
    const files = [{ name: 'a.jpg', key: `${prefix}0`, size: 10 }]
    return { upload_id, task_id: 1, files, parameters: {} }
  }

  async function uploadedAnnotations() {
    const { upload_id, prefix } = await calls.openUpload(forImport, anna)
    const file = { name: 'a.json', key: `${prefix}0`, size: 10 }
    const options = { import_mode: 'replace', conv_mask_to_poly: true }
    return { upload_id, target: 'task', id: 2, file, format: 'coco 1.0', ...options } as const
  }

  test('an upload is registered before its first byte', async () => {
    const { upload_id, prefix } = await calls.openUpload(forData, anna)
    expect(prefix).toBe(`requests/uploads/${upload_id}/`)
    expect(await blobStates()).toEqual([{ kind: 'upload', state: 'pending', task_id: null }])
  })

  test('an import with an outdated `if_match` is refused at once, and its upload stays', async () => {
    const upload = await uploadedAnnotations()
    const stale = calls.startImport({ body: { ...upload, if_match: '"y"' } }, anna)
    await expect(stale).rejects.toMatchObject({ kind: 'precondition', code: 'annotations_changed' })
    expect(await db.selectFrom('requests').select('rq_id').execute()).toEqual([])

    const { rq_id } = await calls.startImport({ body: { ...upload, if_match: '"x"' } }, anna)
    expect(rq_id).toContain('import')
  })

  test.each([
    [
      'media of a task that has some',
      { ...forData, id: 2 },
      { body: ['Adding more data is not supported'] },
    ],
    ['media of a job', { ...forData, target: 'job', id: 31 }, { kind: 'invalid' }],
    ['media of a project', { ...forData, target: 'project' }, { kind: 'invalid' }],
    ['a task that does not exist', { ...forData, id: 9 }, { kind: 'not_found' }],
    [
      'annotations without a format',
      { ...forImport, format: undefined },
      { body: { format: ['This field is required.'] } },
    ],
    [
      'annotations in an unknown format',
      { ...forImport, format: 'X' },
      {
        body: [expect.stringMatching("^Unknown input format 'X'. Formats for import: COCO 1.0, ")],
      },
    ],
    [
      'annotations in an unknown mode',
      { ...forImport, import_mode: 'merge it' },
      { body: { import_mode: ['"merge it" is not a valid choice.'] } },
    ],
    [
      'annotations from elsewhere',
      { ...forImport, location: 'cloud_storage' },
      { body: ["Importing from the location 'cloud_storage' is not supported, only from 'local'"] },
    ],
    [
      'annotations of a task without data',
      { ...forImport, id: 1 },
      { body: ['This task data has not been initialized yet'] },
    ],
  ] as const)('%s: refused before the first byte', async (_, given, error) => {
    await expect(calls.openUpload(given, anna)).rejects.toMatchObject(error)
    expect(await blobStates()).toEqual([])
  })

  test('an upload to an object of another user is forbidden', async () => {
    const attempt = calls.openUpload(forData, callAs({ user_id: 7 }))
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('an upload becomes a creation, and its files the media of the task', async () => {
    const rq_id = 'action=create&target=task&target_id=1'
    expect(await calls.startDataPreparation({ body: await uploadedData() }, anna)).toEqual({
      rq_id,
    })
    expect(await blobStates()).toEqual([{ kind: 'upload', state: 'live', task_id: null }])

    const row = await claimNext()
    expect(row.params).toMatchObject({
      image_quality: 70,
      sorting_method: 'lexicographical',
      chunk_size: null,
    })
    await finishRequest(db, row, { report: null, result: null, result_id: 1 }, 24)

    expect(await blobStates()).toEqual([{ kind: 'media', state: 'live', task_id: 1 }])
    expect(await calls.getRequest({ rq_id }, anna)).toMatchObject({
      status: 'finished',
      operation: { type: 'create:task', task_id: 1, format: null },
      result_id: 1,
      result_url: null,
    })
  })

  test('files of a failed creation are deleted', async () => {
    await calls.startDataPreparation({ body: await uploadedData() }, anna)
    await failRequest(db, await claimNext(), 'No media data found', 24)
    expect(await blobStates()).toEqual([{ kind: 'upload', state: 'dead', task_id: null }])
  })

  test('ground truth parameters are passed on, honeypots are refused', async () => {
    const body = await uploadedData()
    const drawn = { frame_selection_method: 'random_uniform', frame_count: 2 } as const
    const start = (mode: 'gt' | 'gt_pool') => {
      const parameters = { validation_params: { mode, ...drawn } }
      return calls.startDataPreparation({ body: { ...body, parameters } }, anna)
    }
    await expect(start('gt_pool')).rejects.toMatchObject({
      kind: 'invalid',
      body: ["Validation mode 'gt_pool' is not supported"],
    })
    await start('gt')
    expect((await claimNext()).params).toMatchObject({
      validation_params: { mode: 'gt', ...drawn },
    })
  })

  test('a mapping of files to jobs is passed on', async () => {
    const body = await uploadedData()
    const parameters = {
      job_file_mapping: [{ files: ['b.jpg', 'a.jpg'] }, { files: ['c.jpg'] }],
    }
    await calls.startDataPreparation({ body: { ...body, parameters } }, anna)
    expect((await claimNext()).params).toMatchObject({ ...parameters, job_count: null })
  })

  test('the number of jobs is passed on', async () => {
    const body = { ...(await uploadedData()), parameters: { job_count: 3 } }
    await calls.startDataPreparation({ body }, anna)
    expect((await claimNext()).params).toMatchObject({ job_file_mapping: null, job_count: 3 })
  })

  test('while a creation runs, opening an upload conflicts with its request id', async () => {
    await calls.startDataPreparation({ body: await uploadedData() }, anna)
    await expect(calls.openUpload(forData, bob)).rejects.toMatchObject({
      kind: 'conflict',
      body: { rq_id: 'action=create&target=task&target_id=1' },
    })
  })

  test('of two concurrent uploads for one task one becomes the request', async () => {
    const [first, second] = [await uploadedData(), await uploadedData()]
    const outcomes = await Promise.allSettled([
      calls.startDataPreparation({ body: first }, anna),
      calls.startDataPreparation({ body: second }, anna),
    ])
    expect(outcomes.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    const [refused] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toMatchObject({ kind: 'conflict', body: { rq_id: expect.any(String) } })
    const states = (await blobStates()).map((one) => one.state)
    expect(states.sort()).toEqual(['live', 'pending'])
  })

  test('an upload becomes an import, one per object for all users', async () => {
    const rq_id = 'action=import&target=task&target_id=2&subresource=annotations'
    expect(await calls.startImport({ body: await uploadedAnnotations() }, anna)).toEqual({ rq_id })
    expect(await calls.getRequest({ rq_id }, anna)).toMatchObject({
      status: 'queued',
      operation: { type: 'import:annotations', format: 'COCO 1.0', task_id: 2 },
    })
    await expect(calls.openUpload(forImport, bob)).rejects.toMatchObject({ body: { rq_id } })
  })

  test('an archive becomes an import into its project, with any mode', async () => {
    const forProject = { purpose: 'dataset', target: 'project', id: 7, format: 'COCO 1.0' } as const
    const { upload_id, prefix } = await calls.openUpload(forProject, anna)
    const file = { name: 'set.ZIP', key: `${prefix}0`, size: 10 }
    const asked = {
      upload_id,
      target: 'project',
      id: 7,
      format: 'coco 1.0',
      import_mode: 'x',
    } as const
    const named = calls.startImport({ body: { ...asked, file: { ...file, name: 'a.json' } } }, anna)
    await expect(named).rejects.toMatchObject({
      body: { dataset_file: ['Dataset file should be zip archive'] },
    })
    const rq_id = 'action=import&target=project&target_id=7&subresource=dataset'
    expect(await calls.startImport({ body: { ...asked, file } }, anna)).toEqual({ rq_id })
    expect(await calls.getRequest({ rq_id }, anna)).toMatchObject({
      operation: { type: 'import:dataset', format: 'COCO 1.0', project_id: 7, task_id: null },
    })
    await expect(calls.openUpload(forProject, anna)).rejects.toMatchObject({ body: { rq_id } })
    expect(readWork(await claimNext())).toMatchObject({ target: 'project', params: { file } })
  })

  test.each([
    [
      'finished',
      (row: Awaited<ReturnType<typeof claimNext>>) =>
        finishRequest(db, row, { report: null, result: null, result_id: null }, 24),
    ],
    [
      'failed',
      (row: Awaited<ReturnType<typeof claimNext>>) => failRequest(db, row, 'bad file', 24),
    ],
  ])('the file of an import that %s is deleted', async (_, end) => {
    await calls.startImport({ body: await uploadedAnnotations() }, anna)
    await end(await claimNext())
    expect(await blobStates()).toEqual([{ kind: 'upload', state: 'dead', task_id: null }])
  })

  test.each([
    [
      'an unknown upload',
      async () => ({ ...(await uploadedAnnotations()), upload_id: crypto.randomUUID() }),
    ],
    [
      'an upload id that is none',
      async () => ({ ...(await uploadedAnnotations()), upload_id: '../x' }),
    ],
    [
      'an upload made for media',
      async () => ({
        ...(await uploadedAnnotations()),
        upload_id: (await uploadedData()).upload_id,
      }),
    ],
  ])('%s cannot be imported', async (_, given) => {
    const attempt = calls.startImport({ body: await given() }, anna)
    await expect(attempt).rejects.toMatchObject({ body: ['No such file were uploaded'] })
  })

  test('an upload of another user cannot be imported', async () => {
    const attempt = calls.startImport({ body: await uploadedAnnotations() }, bob)
    await expect(attempt).rejects.toMatchObject({ code: 'upload_unknown' })
  })

  test('an upload that expired meanwhile cannot be used', async () => {
    const body = await uploadedAnnotations()
    await sql`update blobs set state = 'dead', dead_date = now()`.execute(db)
    await expect(calls.startImport({ body }, anna)).rejects.toMatchObject({
      code: 'upload_unknown',
    })
  })

  test('files of a failed creation stay when its effect may exist', async () => {
    await calls.startDataPreparation({ body: await uploadedData() }, anna)
    const row = await claimNext()
    await enterFinal(db, row)
    await failRequest(db, row, 'The worker stopped unexpectedly', 24)
    expect(await blobStates()).toEqual([{ kind: 'media', state: 'live', task_id: 1 }])
  })

  test('an upload serves one request', async () => {
    const body = await uploadedAnnotations()
    const { rq_id } = await calls.startImport({ body }, anna)
    await calls.cancelRequest({ rq_id }, anna)
    await expect(calls.startImport({ body }, anna)).rejects.toMatchObject({
      code: 'upload_unknown',
    })
  })

  test('an empty file and a missing file are refused', async () => {
    const body = await uploadedAnnotations()
    const file = { ...body.file, size: 0 }
    await expect(calls.startImport({ body: { ...body, file } }, anna)).rejects.toMatchObject({
      body: { annotation_file: ['The submitted file is empty.'] },
    })
    const data = { ...(await uploadedData()), files: [] }
    await expect(calls.startDataPreparation({ body: data }, anna)).rejects.toMatchObject({
      body: { client_files: ['No file was submitted.'] },
    })
  })

  test('a large upload becomes a large request', async () => {
    const body = await uploadedAnnotations()
    await calls.startImport(
      { body: { ...body, file: { ...body.file, size: 600 * 1024 * 1024 } } },
      anna,
    )
    expect(await claimNext()).toMatchObject({ size_class: 'large' })
  })
})
