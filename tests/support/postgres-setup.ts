import type { TestServer } from '@reticle/kit/testing/db'
import { startTestPostgres } from '@reticle/standalone/testing/postgres'
import type { TestProject } from 'vitest/node'

/** Global setup of projects whose tests use a database: one PostgreSQL for all files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, prefix, stop } = await startTestPostgres(process.env.RETICLE_TEST_DATABASE_URL)
  const server: TestServer = { url, prefix }
  project.provide('postgres', server)
  return stop
}
