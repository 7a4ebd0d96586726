import type { JobRow } from '../db/schema.ts'

/** The status of a job: what follows from stage and state (`spec/api-workspace.md` 4.8). */
export function jobStatus({ stage, state }: Pick<JobRow, 'stage' | 'state'>): JobRow['status'] {
  if (stage === 'annotation') return 'annotation'
  return stage === 'acceptance' && state === 'completed' ? 'completed' : 'validation'
}
