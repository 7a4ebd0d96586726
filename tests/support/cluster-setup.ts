import { findParts } from './launcher.ts'

/**
 * Global setup of the project `cluster`: real Kafka, MinIO and PostgreSQL for the whole run, named by the variables
 * `RETICLE_TEST_*`. `npm run test:cluster` has started them already, a single `vitest --project cluster` has not.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const { env, stop } = await findParts()
  Object.assign(process.env, env)
  return stop
}
