import type { TestServer } from '@reticle/kit/testing/db'
import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres.ts'

/** Global setup of projects whose tests use a database: one PostgreSQL for all files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, prefix, stop } = await startTestPostgres()
  const server: TestServer = { url, prefix }
  project.provide('postgres', server)
  return stop
}
