import type { JobRow, TaskRow } from '../db/schema.ts'

/** Returns the status of a task with jobs of these statuses: the least finished one. */
export function taskStatus(jobs: readonly JobRow['status'][]): TaskRow['status'] {
  if (jobs.length === 0) return 'new'
  if (jobs.includes('annotation')) return 'annotation'
  return jobs.includes('validation') ? 'validation' : 'completed'
}
