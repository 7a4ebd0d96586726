import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requestQueued } from '@reticle/contracts/events/requests'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { lagOf } from '@reticle/kit/bus/postgres/offsets'
import { silentLog } from '@reticle/kit/observe/log'
import { emit } from '@reticle/kit/outbox/emit'
import { startRelay } from '@reticle/kit/outbox/relay'
import { testDatabase } from '@reticle/kit/testing/db'
import { afterAll, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { queueDepth } from '../requests/metrics.ts'
import { lockTenant } from '../requests/repo.ts'
import { addRequest } from '../testing/rows.ts'
import { testStore } from '../testing/run.ts'
import { settingsOf } from '../testing/settings.ts'
import { gateOf, tasks } from '../testing/wiring.ts'
import { startWorker } from './start.ts'

const database = await testDatabase<RequestsDb>([
  { schema: 'requests', migrations },
  { schema: 'bus', migrations: busMigrations },
])
const { db } = database
const { root, blobs } = await testStore()
const objects = join(root, 'blobs')
const url = new URL(database.url)
url.searchParams.set('options', '-c search_path=requests,bus')
const onError = () => undefined
const bus = postgresBus({ url: url.href, onError })
const relay = startRelay({ url: url.href, schema: 'requests', bus, onError })
const module = new URL('../testing/wiring.ts', import.meta.url).href
const worker = await startWorker({
  db,
  bus,
  blobs,
  log: silentLog,
  settings: settingsOf({ slots: 1, tmpDir: root }),
  wiring: { module, options: { root: objects } },
  timing: { pollMs: 60_000 },
})
afterAll(async () => {
  await worker.stop()
  await relay.stop()
  await bus.close()
})

async function post(tenant: string, task_id: number) {
  await db.transaction().execute(async (tx) => {
    await lockTenant(tx, tenant)
    const wish = { tenant, task_id, target_id: task_id, created: task_id }
    const { request_uuid } = await addRequest(tx, wish)
    await emit(tx, requestQueued, { tenant, request_uuid }, { principal: null, request_id: 'test' })
  })
  relay.wake()
}

const lag = () => lagOf({ db, group: 'reticle.workers', topic: 'reticle.requests.v1' })
const patience = { timeout: 60_000, interval: 20 }
vi.setConfig({ testTimeout: 120_000 })

test('the consumer lag of the workers equals the number of queued requests', async () => {
  for (const n of [1, 2, 3, 4]) await post('org:1', tasks.isGated + n)

  for (const left of [3, 2, 1, 0]) {
    await vi.waitFor(async () => {
      expect(await queueDepth(db)).toMatchObject({ queued: left, started: 1 })
      expect(await lag()).toBe(left)
    }, patience)
    await writeFile(gateOf(objects, tasks.isGated + 4 - left), '')
  }
})
