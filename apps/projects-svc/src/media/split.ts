/** Options of a split of frames into jobs (`docs/spec/workspace.md#splitting-into-jobs`). */

export interface JobSplitOptions {
  /** Number of frames of the task, at least one. */
  size: number
  /** Frames of a job; 0 or more than the frames of the task: one job. */
  segment_size: number
  /** Frames that neighbouring jobs share; null: automatic. */
  overlap: number | null
  /** Requested number of jobs of equal length, which is an upper limit; overrides `segment_size`. */
  job_count?: number
  /** Whether the frames are those of a video. */
  isVideo?: boolean
}

export interface Split {
  /** Frames of a job after the split. */
  segment_size: number
  overlap: number
  /** Number of jobs. */
  jobs: number
}

/** Overlap by which tracks of neighbouring jobs of a video can be joined. */
const overlapOfVideos = 5

/**
 * Plans a split. An overlap is at most half of a segment; the automatic overlap is 0, except for a video with several
 * jobs.
 */
export function planSplit({ size, isVideo = false, ...given }: JobSplitOptions): Split {
  const isOne =
    given.job_count === undefined ? isWhole(given.segment_size, size) : given.job_count === 1
  const shared = given.overlap ?? (isVideo && !isOne ? overlapOfVideos : 0)
  const wanted = given.job_count ? segmentOf(size, given.job_count, shared) : given.segment_size
  const segment_size = isWhole(wanted, size) ? size : wanted
  const overlap = Math.min(shared, Math.floor(segment_size / 2))
  const jobs = Math.max(1, Math.ceil((size - overlap) / (segment_size - overlap)))
  return { segment_size, overlap, jobs }
}

const isWhole = (segment_size: number, size: number) => segment_size === 0 || segment_size >= size

/**
 * Returns the frames of a job for a number of jobs: every job except the first starts with the overlap of the
 * previous one.
 */
const segmentOf = (size: number, jobs: number, overlap: number) =>
  Math.ceil((size + (Math.min(jobs, size) - 1) * overlap) / jobs)

/** Returns the frame range of each job for a list of job sizes. */
export function rangesOf(sizes: readonly number[]): { start_frame: number; stop_frame: number }[] {
  let next = 0
  return sizes.map((size) => {
    const start_frame = next
    next += size
    return { start_frame, stop_frame: next - 1 }
  })
}

/** Returns the frame range of each job, relative to the task and inclusive. */
export function splitRanges(
  size: number,
  { segment_size, overlap, jobs }: Split,
): { start_frame: number; stop_frame: number }[] {
  return Array.from({ length: jobs }, (_, index) => {
    const start_frame = index * (segment_size - overlap)
    return { start_frame, stop_frame: Math.min(start_frame + segment_size, size) - 1 }
  })
}
