/** What the frames belong to. */
export interface Place {
  kind: 'tasks' | 'jobs'
  id: number
}

export type Quality = 'compressed' | 'original'

/** The first and the last frame that may be looked at, both included; frames have the numbers of the task. */
export interface Span {
  first: number
  last: number
}

/** The frame that is asked for, or the nearest one that is there. */
export function frameWithin({ first, last }: Span, asked: number): number {
  return Math.max(first, Math.min(last, Math.trunc(asked) || 0))
}

/** Those that are looked at next, the most likely first. */
export function neighboursOf({ first, last }: Span, frame: number): number[] {
  return [frame + 1, frame - 1, frame + 2].filter((one) => one >= first && one <= last)
}

/** The page of a task's jobs, `size` on each in the order of their frames, on which the job of a frame is. */
export function jobPageOf(
  task: { segment_size: number; overlap: number | null },
  frame: number,
  size: number,
): number {
  const step = task.segment_size - (task.overlap ?? 0)
  return step > 0 ? Math.floor(Math.floor(frame / step) / size) + 1 : 1
}
