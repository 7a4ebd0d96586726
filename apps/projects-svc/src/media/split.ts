/** How frames are shared out: `spec/api-workspace.md` 4.6. */

export interface Wanted {
  /** Frames of the task, at least one. */
  size: number
  /** 0, or more than there are frames: one job. */
  segment_size: number
  /** Frames that neighbouring jobs share; null: automatic. */
  overlap: number | null
  /** So many jobs are to be equally long, whatever `segment_size` says. */
  job_count?: number
  /** Of frames that follow each other in time. */
  isVideo?: boolean
}

export interface Split {
  /** What was used. */
  segment_size: number
  overlap: number
  /** How many jobs `ranges` makes. */
  jobs: number
}

/** What tracks are joined by where jobs meet. */
const overlapOfVideos = 5

/** An overlap is at most half of a segment; automatic is none, but for a video that has several jobs. */
export function planSplit({ size, isVideo = false, ...given }: Wanted): Split {
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

/** Frames a job, so that there are `jobs` of them: every job but the first begins with what it shares with the one before. */
const segmentOf = (size: number, jobs: number, overlap: number) =>
  Math.ceil((size + (Math.min(jobs, size) - 1) * overlap) / jobs)

/** Frames of each job where every job has a size of its own. */
export function rangesOf(sizes: readonly number[]): { start_frame: number; stop_frame: number }[] {
  let next = 0
  return sizes.map((size) => {
    const start_frame = next
    next += size
    return { start_frame, stop_frame: next - 1 }
  })
}

/** Frames of each job, task-relative and inclusive. */
export function splitRanges(
  size: number,
  { segment_size, overlap, jobs }: Split,
): { start_frame: number; stop_frame: number }[] {
  return Array.from({ length: jobs }, (_, index) => {
    const start_frame = index * (segment_size - overlap)
    return { start_frame, stop_frame: Math.min(start_frame + segment_size, size) - 1 }
  })
}
