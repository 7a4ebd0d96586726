import type { JobRange } from '@reticle/contracts/rest/facts'
import type { AnnotationTarget } from '../targets/target.ts'

/**
 * A job that is merged into the jobs before it (docs/spec/annotations.md#task-level). The shared frames follow from
 * the frame ranges alone.
 */
export interface Fold {
  job: JobRange
  /** Last frame of the jobs before it; -1 for the first job. */
  before: number
}

export function foldsOf({ jobs }: Pick<AnnotationTarget, 'jobs'>): Fold[] {
  let before = -1
  return jobs.map((job) => {
    const fold = { job, before }
    before = Math.max(before, job.stop_frame)
    return fold
  })
}

/** Returns whether a job shares frames with earlier jobs. */
export const sharesFrames = ({ job, before }: Fold) => job.start_frame <= before

/** Returns whether reading the target needs merging: more than one job. */
export const isFolded = ({ jobs }: Pick<AnnotationTarget, 'jobs'>) => jobs.length > 1
