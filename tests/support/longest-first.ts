import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take half a minute or more. They start first, so that no processor waits for the last of them at the end.
 * By default vitest sorts files by size when it has no earlier durations, which CI never has.
 */
export const longest = [
  'tests/cluster/stories.test.ts',
  'tests/cluster/faults.test.ts',
  'tests/cluster/upgrade.test.ts',
  'tests/cluster/annotation-writers.test.ts',
  'packages/kit/src/bus/kafka.cluster.test.ts',
  'tests/cluster/webhook-kills.test.ts',
  'tests/cluster/image.test.ts',
  'tests/e2e/acceptance/permissions.test.ts',
  'tests/e2e/acceptance/media-hostile.test.ts',
  'tests/e2e/readme.test.ts',
  'tests/e2e/kill.test.ts',
  'tests/e2e/console/work.test.ts',
  'tests/e2e/console/task.test.ts',
  'tests/e2e/backup.test.ts',
  'tests/e2e/cli/migrate.test.ts',
  'tests/e2e/sdk/uploads.test.ts',
  'tests/e2e/restores.test.ts',
  'tests/e2e/acceptance/cancel.test.ts',
  'tests/e2e/start.test.ts',
  'tools/soak/src/day/day.test.ts',
  'apps/jobs-svc/src/video/adapters/node-av.test.ts',
  'packages/kit/src/bus/postgres.test.ts',
  'apps/jobs-svc/src/worker/start.test.ts',
  'packages/sdk/src/annotations/items.test.ts',
  'apps/jobs-svc/src/worker/processes.test.ts',
  'apps/jobs-svc/src/worker/resumed.test.ts',
  'apps/jobs-svc/src/worker/misbehaviour.test.ts',
  'packages/formats/src/formats/long-lines.test.ts',
  'apps/gateway/src/plugins/connections/pressure.test.ts',
  'packages/cli/src/convert/spool.test.ts',
]

/** Returns the files that `npm run test:quick` leaves out. */
export function listLeftOut(): string[] {
  const { RETICLE_TEST_QUICK: isQuick } = process.env
  return isQuick ? longest : []
}

/** Runs those files in their order, then all others in the order of vitest, separately for each project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const placeOf = ({ project, moduleId }: TestSpecification) => {
      const at = longest.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'))
      return projects.indexOf(project.name) * 1000 + (at < 0 ? longest.length : at)
    }
    return sorted.sort((one, other) => placeOf(one) - placeOf(other))
  }
}
