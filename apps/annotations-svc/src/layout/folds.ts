import type { JobRange } from '@reticle/contracts/rest/facts'
import type { Target } from '../targets/target.ts'

/**
 * A job as it is folded into what the jobs before it have together (`spec/api-annotations.md` 1.8). The frames that it
 * shares with them follow from the ranges alone.
 */
export interface Fold {
  job: JobRange
  /** The last frame of the jobs before it; -1 of the first. */
  before: number
}

export function foldsOf({ jobs }: Pick<Target, 'jobs'>): Fold[] {
  let before = -1
  return jobs.map((job) => {
    const fold = { job, before }
    before = Math.max(before, job.stop_frame)
    return fold
  })
}

/** Whether a job shares frames with those before it. */
export const sharesFrames = ({ job, before }: Fold) => job.start_frame <= before

/** Whether reading the target is more than putting its jobs one after the other. */
export const isFolded = ({ jobs }: Pick<Target, 'jobs'>) => jobs.length > 1
