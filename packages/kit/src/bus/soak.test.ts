import { expect, test } from 'vitest'
import { isFullRun } from '../testing/config.ts'
import { testDatabase } from '../testing/db.ts'
import { recordScore } from '../testing/scores.ts'
import { busMigrations } from './postgres/log.ts'
import { type ContractTables, contractMigrations, withPath } from './testing/rig.ts'
import { runSoak, scoreOf } from './testing/soak.ts'

const { db, url } = await testDatabase<ContractTables>([
  { schema: 'contract', migrations: contractMigrations },
  { schema: 'bus', migrations: busMigrations },
])
const counts = isFullRun() ? { kills: 200, events: 20_000 } : { kills: 4, events: 800 }

test('the embedded bus loses, repeats and reorders no event while processes are killed', {
  timeout: 600_000,
}, async () => {
  const seen = await runSoak({ db, url: withPath(url), ...counts })
  recordScore({ id: 'T-BUS-1', on: 'PostgreSQL', ...scoreOf(seen) })
  expect(seen).toEqual({ ...counts, lost: 0, doubled: 0, disordered: 0 })
})
