import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres.ts'

/** Vitest's global setup: one PostgreSQL for the whole run, whatever projects take part in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, prefix, stop } = await startTestPostgres()
  project.provide('postgres', { url, prefix })
  return stop
}
