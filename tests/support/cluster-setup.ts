import { findParts } from '@reticle/cluster/find'
import type { TestProject } from 'vitest/node'
import { type Lane, readLanes } from './lanes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    lanes: Lane[]
  }
}

/**
 * Global setup of the project `cluster`: real Kafka, MinIO and PostgreSQL, named by the variables `RETICLE_TEST_*`.
 * `npm run test:cluster` has already started them, one set for each file that runs at a time; `vitest --project
 * cluster` alone has not.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = readLanes()
  if (given) {
    project.provide('lanes', given)
    return async () => undefined
  }
  const { env, stop } = await findParts()
  project.provide('lanes', [env])
  return stop
}
