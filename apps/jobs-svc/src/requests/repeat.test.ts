import { requests as table } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { losingAnswers } from '@reticle/kit/testing/transport'
import { beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { whole } from '../testing/run.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'

/** Every change loses its first answer here and is repeated by the caller; its effect must happen once. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: factsOf({ size: 0, jobs: [] }) },
  { target: 'task', id: 2, user_id: 1, facts: factsOf({ task_id: 2 }) },
])
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks, annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const requests = await losingAnswers(table, handlers)
const anna = () => callAs({ user_id: 1 })

beforeEach(async () => {
  await db.deleteFrom('requests').execute()
})

const stored = () => db.selectFrom('requests').select(['rq_id', 'status', 'message']).execute()

test('an export is queued once and cancelled once', async () => {
  const input = { id: 2, format: 'COCO 1.0', ...whole, save_images: false }
  const { rq_id } = await requests.exportTaskDataset(input, anna())
  expect(await stored()).toMatchObject([{ rq_id, status: 'queued' }])
  expect(await db.selectFrom('outbox').selectAll().execute()).toHaveLength(1)

  await requests.cancelRequest({ rq_id }, anna())
  expect(await stored()).toMatchObject([{ rq_id, status: 'failed', message: 'Cancelled' }])
})

test('an upload is opened once and becomes one request', async () => {
  const asked = { purpose: 'data', target: 'task', id: 1 } as const
  const { upload_id, prefix } = await requests.openUpload(asked, anna())
  const uploads = await db.selectFrom('uploads').select('upload_id').execute()
  expect(uploads).toEqual([{ upload_id }])

  const files = [{ name: 'a.jpg', key: `${prefix}0`, size: 10 }]
  const body = { upload_id, task_id: 1, files, parameters: {} }
  const { rq_id } = await requests.startDataPreparation({ body }, anna())
  expect(await stored()).toMatchObject([{ rq_id, status: 'queued' }])
})

test('an import is posted once', async () => {
  const asked = { purpose: 'annotations', target: 'task', id: 2, format: 'COCO 1.0' } as const
  const { upload_id, prefix } = await requests.openUpload(asked, anna())
  const file = { name: 'a.json', key: `${prefix}0`, size: 10 }
  const options = { import_mode: 'replace', conv_mask_to_poly: true, format: 'COCO 1.0' }
  const body = { upload_id, target: 'task', id: 2, file, ...options } as const
  const { rq_id } = await requests.startImport({ body }, anna())
  expect(await stored()).toMatchObject([{ rq_id, status: 'queued' }])
})
