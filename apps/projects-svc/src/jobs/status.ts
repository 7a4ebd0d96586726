import type { JobRow } from '../db/schema.ts'

/** Returns the status of a job for its stage and state. */
export function jobStatus({ stage, state }: Pick<JobRow, 'stage' | 'state'>): JobRow['status'] {
  if (stage === 'annotation') return 'annotation'
  return stage === 'acceptance' && state === 'completed' ? 'completed' : 'validation'
}
