import type { FrameSpan } from '@reticle/contracts/rest/annotation-query'
import type { TaskExtent } from '@reticle/contracts/rest/facts'
import type { Scope } from './scope.ts'

/** Frames of one task as one byte per frame, because a track marks thousands at once. */
export interface FrameMarks {
  mark: (span: FrameSpan) => void
  /** Counts of the frames in the scope. */
  count: () => { total: number; annotated: number; deleted: number }
}

export function openFrames(
  scope: Pick<Scope, 'kind'>,
  { size, jobs, frames, deleted }: TaskExtent,
): FrameMarks {
  const deletions = new Uint8Array(size)
  for (const { start, stop } of deleted) deletions.fill(1, start, stop + 1)
  const marked = new Uint8Array(size)
  const [job] = jobs
  const isIn = (frame: number) =>
    scope.kind !== 'job' || (job && job.start_frame <= frame && frame <= job.stop_frame)
  const count = () => {
    const sum = { total: 0, annotated: 0, deleted: 0 }
    const add = (frame: number) => {
      sum.total += 1
      if (deletions[frame]) sum.deleted += 1
      else if (marked[frame]) sum.annotated += 1
    }
    if (frames.length > 0) frames.forEach(add)
    else for (let frame = 0; frame < size; frame++) if (isIn(frame)) add(frame)
    return sum
  }
  return {
    mark: ({ first, last }) => marked.fill(1, first, last + 1),
    count,
  }
}
