import { jobCreated } from '@reticle/contracts/events/tasks'
import { jobRecord } from '@reticle/contracts/testing/records'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { silentLog } from '@reticle/kit/log'
import { emit } from '@reticle/kit/outbox/emit'
import { testDatabase } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { type AnnotationsDb, migrations, readConfig, schema, startAnnotations } from './index.ts'
import { bodyOf, createWorkspace, neighboursOf, readAnswer, user } from './testing/workspace.ts'

/** Tests of the whole service on the embedded bus. */

const { db, url, onCommit } = await testDatabase<AnnotationsDb>([
  { schema, migrations },
  { schema: 'bus', migrations: busMigrations },
])
const address = new URL(url)
address.searchParams.set('options', `-c search_path=${schema},bus`)
const bus = postgresBus({ url: address.href, onError: () => undefined })
const workspace = createWorkspace(12)
const services = neighboursOf([workspace])
const receivedLongAgo = sql`
  insert into inbox (consumer, event_id, received_date)
  values ('reticle.annotations', gen_random_uuid(), now() - interval '15 days')`
await receivedLongAgo.execute(db)
const ports = { db, url: address.href, onCommit, bus, log: silentLog, services }
const service = startAnnotations({ ...ports, settings: readConfig({}) })
afterAll(async () => {
  await service.stop()
  await bus.close()
})

test('the service inserts jobs from bus events and publishes its changes', async () => {
  const job = jobRecord({ id: 9001, task_id: 900 })
  await db.transaction().execute((tx) => emit(tx, jobCreated, { job }, user()))
  await vi.waitFor(
    async () => {
      const rows = await db
        .selectFrom('jobs')
        .select('task_id')
        .where('job_id', '=', 9001)
        .execute()
      expect(rows).toEqual([{ task_id: 900 }])
    },
    { timeout: 60_000, interval: 50 },
  )

  const input = { id: 121, body: bodyOf({ tags: [{ frame: 0, label_id: 40 }] }) }
  await readAnswer(service.services.annotations.replaceJobAnnotations(input, user()))
  await vi.waitFor(
    async () => {
      expect(await db.selectFrom('outbox').select('id').execute()).toEqual([])
    },
    { timeout: 60_000, interval: 50 },
  )
})

test('expired inbox rows are deleted soon after the start', async () => {
  const old = db
    .selectFrom('inbox')
    .select('event_id')
    .where('received_date', '<', sql<Date>`now() - interval '14 days'`)
  await vi.waitFor(async () => expect(await old.execute()).toEqual([]), 60_000)
})

test('a save succeeds while projects-svc does not respond or fails', async () => {
  const silent = () => new Promise<undefined>(() => undefined)
  const tasks = { ...services.tasks, annotationsChanged: silent }
  const started = Date.now()
  const lonely = startAnnotations({
    ...ports,
    settings: readConfig({}),
    services: { ...services, tasks },
  })
  const input = { id: 122, body: bodyOf({ tags: [{ frame: 5, label_id: 40 }] }) }
  const { set } = await readAnswer(lonely.services.annotations.replaceJobAnnotations(input, user()))
  expect(set.tags).toHaveLength(1)
  expect(Date.now() - started).toBeLessThan(5000)
  await lonely.stop()
})
