import type { JobRow, TaskRow } from '../db/schema.ts'

/** The status of a task with jobs of these statuses (`spec/api-workspace.md` 4.4): the least finished one. */
export function taskStatus(jobs: readonly JobRow['status'][]): TaskRow['status'] {
  if (jobs.length === 0) return 'new'
  if (jobs.includes('annotation')) return 'annotation'
  return jobs.includes('validation') ? 'validation' : 'completed'
}
