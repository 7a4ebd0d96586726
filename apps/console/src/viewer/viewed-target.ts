/** Task or job of the frames. */
export interface ViewedTarget {
  kind: 'tasks' | 'jobs'
  id: number
}

export type PictureQuality = 'compressed' | 'original'

/** First and last visible frame, both inclusive, numbered as in the task. */
export interface Span {
  first: number
  last: number
}

/** Returns the requested frame, or the nearest existing one. */
export function frameWithin({ first, last }: Span, requested: number): number {
  return Math.max(first, Math.min(last, Math.trunc(requested) || 0))
}

/** Returns the frames that are probably shown next, most likely first. */
export function neighboursOf({ first, last }: Span, frame: number): number[] {
  return [frame + 1, frame - 1, frame + 2].filter((one) => one >= first && one <= last)
}

/** Returns the page of the job list, with `size` jobs per page in frame order, that contains the job of a frame. */
export function jobPageOf(
  task: { segment_size: number; overlap: number | null },
  frame: number,
  size: number,
): number {
  const step = task.segment_size - (task.overlap ?? 0)
  return step > 0 ? Math.floor(Math.floor(frame / step) / size) + 1 : 1
}
