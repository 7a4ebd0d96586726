import type { TestServer } from '@reticle/kit/testing/db'
import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres.ts'

/** Vitest's global setup: one PostgreSQL for the whole run, whatever projects take part in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, prefix, stop } = await startTestPostgres()
  const server: TestServer = { url, prefix }
  project.provide('postgres', server)
  return stop
}
