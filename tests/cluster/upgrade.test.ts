import { setTimeout as sleep } from 'node:timers/promises'
import { type MigrationStep, migrateSchema } from '@reticle/kit/db/migrate'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { recordScore } from '@reticle/kit/testing/scores'
import { schemas } from '@reticle/standalone/databases'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordFault } from '../support/faults.ts'
import { partSetting } from '../support/parts.ts'
import { type SplitSystem, startSplit } from '../support/split.ts'
import { startLoad } from './load.ts'
import { expectSettled } from './settled.ts'

/**
 * T-UPG-1: a rolling upgrade under load, as `docs/operations.md` describes it: the schemas are expanded while the old
 * version runs on them, then the processes are replaced one by one.
 */
let split: SplitSystem
beforeAll(async () => {
  const replicas = { projects: 2, annotations: 2, jobs: 2, webhooks: 2 }
  split = await startSplit('upgrade', { replicas, env: { RETICLE_DRAIN_SECONDS: '2' } })
})
afterAll(() => split.stop())

/** One frequently written table per schema, which the later version extends by a column. */
const busiest: Record<string, string> = {
  projects: 'projects',
  annotations: 'shapes',
  requests: 'requests',
  webhooks: 'webhook_messages',
}

/** Returns the administrator's address of the database, since the owner of the schemas migrates them. */
function adminUrl(): string {
  const url = new URL(partSetting('RETICLE_TEST_DATABASE_URL'))
  url.pathname = new URL(split.databaseOf('projects')).pathname
  return url.href
}

/**
 * Waits until thirteen processes that start together on a small machine answer quickly; earlier answers are not
 * measured.
 */
async function settled(): Promise<void> {
  for (let inTime = 0; inTime < 20; await sleep(100)) {
    const began = performance.now()
    const { status } = await split.admin.call('GET', '/projects')
    inTime = status === 200 && performance.now() - began < 500 ? inTime + 1 : 0
  }
}

/** Does what the migration job of the next release does, on tables in use. */
async function expand(): Promise<void> {
  for (const { schema, migrations } of schemas) {
    const table = busiest[schema] ?? ''
    const later: MigrationStep = {
      up: async (db) => {
        const change = db.schema.withSchema(schema).alterTable(table)
        await change.addColumn('later_note', 'text').execute()
      },
    }
    await migrateSchema(adminUrl(), { schema, migrations: { ...migrations, '0999-later': later } })
  }
}

test('a release with a migration is rolled out under load without a failed call', async () => {
  const receiver = await startReceiver()
  await settled()
  const load = await startLoad([split.url], receiver)
  const { ledger } = load
  /** Refused calls during the rollout. */
  const refused: Record<string, string[]> = {}
  const step = async (name: string, happen: () => Promise<void>) => {
    const before = ledger.refusals.length
    await happen()
    await sleep(500)
    if (ledger.refusals.length > before) refused[name] = ledger.refusals.slice(before)
  }
  await step('nothing', () => sleep(1000))
  await step('the migration', expand)
  for (const name of Object.keys(split.processes)) await step(name, () => split.restart(name))
  await load.stop()

  const calls = ledger.created.size + ledger.drawn.acknowledged.size + ledger.renamed.length
  const failed = ledger.wrong.length + ledger.refusals.length
  recordScore({
    ...{ id: 'T-UPG-1', on: 'two of each service', seen: String(failed), holds: failed === 0 },
    count: `a migration and ${Object.keys(split.processes).length} restarts under ${calls} writes`,
  })
  expect(ledger.wrong).toEqual([])
  expect(refused).toEqual({})
  await expectSettled(split.admin, load, receiver)
  await receiver.close()
  expect(calls).toBeGreaterThan(100)
  recordFault('a rolling upgrade with a migration')
})
