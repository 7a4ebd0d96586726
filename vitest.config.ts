import { availableParallelism } from 'node:os'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { readLanes } from './tests/support/lanes.ts'
import { LongestFirst, listLeftOut } from './tests/support/longest-first.ts'

type ProjectTest = NonNullable<UserWorkspaceConfig['test']>

/** Tests read our packages from their sources: nothing has to be built for them. */
const sources = ['@reticle/source']
const resolve = { conditions: sources, externalConditions: sources }

const outside = ['**/node_modules/**', '**/dist/**']

const project = (name: string, include: string[], more: ProjectTest = {}) => ({
  resolve: { conditions: sources },
  ssr: { resolve },
  test: {
    name,
    include,
    exclude: [...outside, '**/*.cluster.test.ts'],
    // These limits only end what hangs: a machine that is busy with something else is several times slower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    ...more,
  },
})

const onPostgres: ProjectTest = { globalSetup: './tests/support/postgres-setup.ts' }

/**
 * Files after one another in the same processes: what they all import is loaded once, which halves the time. One more
 * than there are processors, because a third of their time is waiting for timeouts and other processes.
 */
const oneProcess: ProjectTest = {
  ...onPostgres,
  isolate: false,
  maxWorkers: availableParallelism() + 1,
  exclude: [...outside, '**/*.cluster.test.ts', ...listLeftOut()],
}

/** Real Kafka and MinIO, which these tests stop and start: as many files at a time as there are sets of them. */
const onRealParts: ProjectTest = {
  exclude: outside,
  globalSetup: ['./tests/support/postgres-setup.ts', './tests/support/cluster-setup.ts'],
  setupFiles: './tests/support/lane.ts',
  maxWorkers: readLanes()?.length ?? 1,
  sequence: { groupOrder: 1 },
  testTimeout: 900_000,
  hookTimeout: 900_000,
}

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    projects: [
      project(
        'unit',
        [
          '{packages,apps}/*/src/**/*.test.ts',
          'tools/!(soak)/src/**/*.test.ts',
          'tests/support/**/*.test.ts',
        ],
        oneProcess,
      ),
      project('contract', ['tests/contract/**/*.test.ts'], onPostgres),
      project('e2e', ['tests/e2e/**/*.test.ts', 'tools/soak/src/**/*.test.ts'], {
        globalSetup: './tests/support/e2e-setup.ts',
        isolate: false,
      }),
      project(
        'cluster',
        ['{packages,apps,tests}/**/*.cluster.test.ts', 'tests/cluster/**/*.test.ts'],
        onRealParts,
      ),
    ],
  },
})
