import { requests } from '@reticle/contracts/api/requests'
import type { DataParameters } from '@reticle/contracts/rest/media'
import { factsOf } from '@reticle/contracts/testing/records'
import { readNets } from '@reticle/kit/outgoing/guard'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { requestHandlers } from '../../server.ts'
import { authorityOf, noOthers } from '../../testing/services.ts'
import { settingsOf } from '../../testing/settings.ts'
import { readWork } from '../../work/request-work.ts'
import { claimRequest } from '../../worker/leases/repo-claims.ts'

/** Media parameters in the work that the worker receives. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const facts = factsOf({ size: 0, jobs: [] })
const tasks = authorityOf([{ target: 'task', id: 1, user_id: 1, facts }])
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks, annotations, ...noOthers }
const settings = settingsOf({ allowedNets: readNets(['10.1.0.0/16']) })
const handlers = requestHandlers({ db, services, settings })
const anna = callAs({ user_id: 1 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)

  async function start(parameters: DataParameters, names = ['a.jpg', 'b.jpg'], call = anna) {
    const opening = { purpose: 'data', target: 'task', id: 1 } as const
    const { upload_id, prefix } = await calls.openUpload(opening, call)
    const files = names.map((name, index) => ({ name, key: `${prefix}${index}`, size: 10 }))
    const body = { upload_id, task_id: 1, files, parameters }
    await calls.startDataPreparation({ body }, call)
    const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
    if (!row) throw new Error('no request was claimed')
    return readWork(row)
  }

  test('every parameter has a default', async () => {
    expect(await start({})).toMatchObject({
      input_key: expect.stringMatching(/^requests\/uploads\/[-\w]+\/$/),
      params: {
        image_quality: 70,
        sorting_method: 'lexicographical',
        upload_file_order: [],
        chunk_size: null,
        start_frame: 0,
        stop_frame: null,
        frame_filter: '',
        use_zip_chunks: false,
        server_files: [],
        server_files_exclude: [],
        remote_files: [],
        copy_data: false,
      },
    })
  })

  test('given parameters reach the worker', async () => {
    const parameters: DataParameters = {
      sorting_method: 'random',
      start_frame: 1,
      stop_frame: 9,
      use_zip_chunks: true,
      server_files: ['x/', 'y.jpg'],
      server_files_exclude: ['x/z.jpg'],
      remote_files: ['https://example.org/a.jpg', 'http://10.1.2.3/b.jpg'],
      copy_data: true,
    }
    const { params } = await start({ ...parameters, frame_filter: ' step = 05 ' })
    expect(params).toMatchObject({ ...parameters, frame_filter: 'step=5' })
  })

  test('server files need no upload; without any file the request is refused', async () => {
    const { params } = await start({ server_files: ['a.jpg'] }, [])
    expect(params).toMatchObject({ files: [], server_files: ['a.jpg'] })
    await sql`truncate requests cascade`.execute(db)
    await expect(start({}, [])).rejects.toMatchObject({
      body: { client_files: ['No file was submitted.'] },
    })
  })

  test('naming files of the share requires permission to see them', async () => {
    const worker = callAs({ user_id: 1, role: 'worker' })
    const attempt = start({ server_files: ['a.jpg'] }, [], worker)
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
    expect((await start({}, ['a.jpg'], worker)).params).toMatchObject({ server_files: [] })
  })

  const order = (...upload_file_order: string[]) =>
    ({ sorting_method: 'predefined', upload_file_order }) as const

  test('an order of the uploaded files is passed on', async () => {
    expect((await start(order('b.jpg', 'a.jpg'))).params).toMatchObject(order('b.jpg', 'a.jpg'))
  })

  test.each([
    [order('a.jpg'), 'Mismatching files: b.jpg (upload)'],
    [order('a.jpg', 'b.jpg', 'c.jpg'), 'Mismatching files: c.jpg (expected)'],
    [
      order('1', '2', '3', '4'),
      'a.jpg (upload), b.jpg (upload), 1 (expected), 2 (expected), 3 (expected) (and 1 more)',
    ],
    [order('a.jpg', 'b.jpg', 'a.jpg'), 'A file can be listed once only.'],
  ])('an order of other files is refused: %j', async (parameters, text) => {
    await expect(start(parameters)).rejects.toMatchObject({
      kind: 'invalid',
      body: { upload_file_order: [expect.stringContaining(text)] },
    })
    expect(await db.selectFrom('requests').selectAll().execute()).toEqual([])
  })

  test('an order without an effect is not validated', async () => {
    const upload_file_order = ['other.jpg']
    expect((await start({ upload_file_order })).params).toMatchObject({ upload_file_order })
  })

  test.each([
    'http://127.0.0.1/a.jpg',
    'http://10.2.0.1/a.jpg',
    'http://[::1]/a.jpg',
    'http://localhost/a.jpg',
    'ftp://example.org/a.jpg',
    'file:///etc/passwd',
    'https://user:pw@example.org/a.jpg',
    'https://example.org/a.jpg#x',
    'a.jpg',
    '',
  ])('the address %s is refused with its index', async (url) => {
    const remote_files = ['https://example.org/a.jpg', url]
    await expect(start({ remote_files })).rejects.toMatchObject({
      kind: 'invalid',
      body: { remote_files: [{}, [expect.any(String)]] },
    })
    expect(await db.selectFrom('requests').selectAll().execute()).toEqual([])
  })
})
