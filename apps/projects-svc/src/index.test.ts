import { postgresBus } from '@reticle/kit/bus/postgres'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { systemClock } from '@reticle/kit/clock'
import { silentLog } from '@reticle/kit/log'
import { callAs } from '@reticle/kit/testing/call'
import { testDatabase } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { migrations, type ProjectsDb, readConfig, rules, schema, startProjects } from './index.ts'
import { testBlobs } from './testing/blobs.ts'
import { attachFrames } from './testing/workspace.ts'

/** The whole service on the embedded bus. */

const { db, url, onCommit } = await testDatabase<ProjectsDb>([
  { schema, migrations },
  { schema: 'bus', migrations: busMigrations },
])
const address = new URL(url)
address.searchParams.set('options', `-c search_path=${schema},bus`)
const bus = postgresBus({ url: address.href, onError: () => undefined })
const receivedLongAgo = sql`
  insert into inbox (consumer, event_id, received_date)
  values ('reticle.projects', gen_random_uuid(), now() - interval '15 days')`
await receivedLongAgo.execute(db)
const blobs = await testBlobs()
const ports = { db, url: address.href, onCommit, bus, blobs, log: silentLog, clock: systemClock }
const { services, stop } = startProjects({ ...ports, settings: readConfig({}) })
afterAll(async () => {
  await stop()
  await bus.close()
})

test('the date of a project follows its tasks through the bus', async () => {
  const { id } = await db
    .insertInto('users')
    .values({ username: 'anna', email: '', password_hash: '', role: 'user' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const anna = { id, username: 'anna', call: callAs({ user_id: id }) }
  const project = await services.projects.createProject({ body: { name: 'p' } }, anna.call)
  const body = { name: 't', project_id: project.id }
  const task = await services.tasks.createTask({ body }, anna.call)
  await attachFrames(services, task.id, 1, anna)
  const { updated_date } = await services.tasks.getTask({ id: task.id }, anna.call)
  await vi.waitFor(
    async () => {
      const present = await services.projects.getProject({ id: project.id }, anna.call)
      expect(present.updated_date >= updated_date).toBe(true)
    },
    { timeout: 60_000, interval: 50 },
  )
})

test('old inbox rows are deleted soon after the start', async () => {
  const old = db
    .selectFrom('inbox')
    .select('event_id')
    .where('received_date', '<', sql<Date>`now() - interval '14 days'`)
  await vi.waitFor(async () => expect(await old.execute()).toEqual([]), 60_000)
})

test('the permission rules contain one row per action', () => {
  for (const rows of Object.values(rules)) {
    const actions = rows.map((row) => row.action)
    expect(new Set(actions).size).toBe(actions.length)
  }
})
