import { setTimeout as sleep } from 'node:timers/promises'
import { migrate, type Step } from '@reticle/kit/db/migrate'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { score } from '@reticle/kit/testing/scores'
import { schemas } from '@reticle/standalone/databases'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { survived } from '../support/faults.ts'
import { partSetting } from '../support/parts.ts'
import { type Split, startSplit } from '../support/split.ts'
import { startLoad } from './load.ts'
import { expectSettled } from './settled.ts'

/**
 * T-UPG-1 of `reliability.md` 2: N becomes N+1 under load as `docs/operations.md` says it: the schemas are expanded while N
 * runs on them, then every process is exchanged, one after the other.
 */
let split: Split
beforeAll(async () => {
  const replicas = { projects: 2, annotations: 2, jobs: 2, webhooks: 2 }
  split = await startSplit('upgrade', { replicas, env: { RETICLE_DRAIN_SECONDS: '2' } })
})
afterAll(() => split.stop())

/** A table of each schema that is written all the time, and that a later version gives one more column. */
const busiest: Record<string, string> = {
  projects: 'projects',
  annotations: 'shapes',
  requests: 'requests',
  webhooks: 'webhook_messages',
}

/** The administrator's address of the database of the system: who owns the schemas migrates them. */
function adminUrl(): string {
  const url = new URL(partSetting('RETICLE_TEST_DATABASE_URL'))
  url.pathname = new URL(split.databaseOf('projects')).pathname
  return url.href
}

/** Thirteen processes that start at once on a small machine answer late at first, and what they say then is no measure. */
async function settled(): Promise<void> {
  for (let inTime = 0; inTime < 20; await sleep(100)) {
    const began = performance.now()
    const { status } = await split.admin.call('GET', '/projects')
    inTime = status === 200 && performance.now() - began < 500 ? inTime + 1 : 0
  }
}

/** What the migration job of the next release does, on tables that are in use. */
async function expand(): Promise<void> {
  for (const { schema, migrations } of schemas) {
    const table = busiest[schema] ?? ''
    const later: Step = {
      up: async (db) => {
        const change = db.schema.withSchema(schema).alterTable(table)
        await change.addColumn('later_note', 'text').execute()
      },
    }
    await migrate(adminUrl(), { schema, migrations: { ...migrations, '0999-later': later } })
  }
}

test('a release with a migration is rolled out under load, and no call fails', {
  timeout: 240_000,
}, async () => {
  const receiver = await startReceiver()
  await settled()
  const load = await startLoad([split.url], receiver)
  const { ledger } = load
  /** What clients were refused while it happened. */
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
  score({
    ...{ id: 'T-UPG-1', on: 'two of each service', seen: String(failed), holds: failed === 0 },
    count: `a migration and ${Object.keys(split.processes).length} restarts under ${calls} writes`,
  })
  expect(ledger.wrong).toEqual([])
  expect(refused).toEqual({})
  await expectSettled(split.admin, load, receiver)
  await receiver.close()
  expect(calls).toBeGreaterThan(100)
  survived('a rolling upgrade with a migration')
})
