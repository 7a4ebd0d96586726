import { join } from 'node:path'
import { factsOf } from '@reticle/contracts/testing/records'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { silentLog } from '@reticle/kit/observe/log'
import { callAs } from '@reticle/kit/testing/call'
import { testDatabase } from '@reticle/kit/testing/db'
import { afterAll, expect, test } from 'vitest'
import type { RequestsDb } from './db/schema.ts'
import { migrations, schema, startJobs, startWorker } from './index.ts'
import { testStore, whole } from './testing/run.ts'
import { authorityOf, noEvents, noOrganizations, noStorages } from './testing/services.ts'
import { settingsOf } from './testing/settings.ts'
import { tasks } from './testing/wiring.ts'

const database = await testDatabase<RequestsDb>([
  { schema, migrations },
  { schema: 'bus', migrations: busMigrations },
])
const { root, blobs } = await testStore()
const url = new URL(database.url)
url.searchParams.set('options', '-c search_path=requests,bus')
const bus = postgresBus({ url: url.href, onError: () => undefined })
const settings = settingsOf({ slots: 2, tmpDir: root })
const facts = factsOf({ task_id: tasks.works, size: 1 })
const shared = { ...database, url: url.href, bus, blobs, log: silentLog, settings }
const noPicture = async () => {
  throw new Error('unexpected read of a picture')
}
const jobs = startJobs({
  ...shared,
  services: {
    tasks: authorityOf([{ target: 'task', id: tasks.works, user_id: 1, facts }]),
    annotations: { getRevision: async () => ({ etag: '"t1-1"' }) },
    events: noEvents,
    organizations: noOrganizations,
    media: { locateFrame: noPicture, locateChunk: noPicture, readFrames: noPicture },
    storages: { ...noStorages, readPreviewImage: noPicture, readSourceFile: noPicture },
  },
})
const wiring = {
  module: new URL('./testing/wiring.ts', import.meta.url).href,
  options: { root: join(root, 'blobs') },
}
// Idle workers poll only after the timeout of the test, so messages must wake them.
const worker = await startWorker({ ...shared, wiring, timing: { pollMs: 60_000 } })
afterAll(async () => {
  await worker.stop()
  await jobs.stop()
  await bus.close()
})
const anna = callAs({ user_id: 1 })

test('an export runs from the call over outbox, bus and converter to its file', async () => {
  const { requests } = jobs.services
  const wanted = { id: tasks.works, format: 'COCO 1.0', ...whole, save_images: false }
  const { rq_id } = await requests.exportTaskDataset(wanted, anna)

  const record = await requests.getRequest({ rq_id, wait: 14 }, anna)
  expect(record).toMatchObject({ status: 'finished', progress: 1, message: '' })

  const file = await requests.getResultFile({ target: 'task', id: tasks.works, rq_id }, anna)
  expect((await blobs.stat(file.key)).size).toBe(file.size)
})

test('formats are listed as enabled', async () => {
  const { importers, exporters } = await jobs.services.server.listFormats({}, anna)
  for (const list of [importers, exporters]) {
    expect(list.map((format) => format.name)).toContain('COCO 1.0')
    expect(list.every((format) => format.enabled)).toBe(true)
  }
})
