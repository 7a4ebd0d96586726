import type { DataMeta, Job, Task } from '@reticle/sdk'

/** Frames that are looked at together: those of a task, or of a job. */
export interface FrameSet {
  /** Below which their pictures are: who may see a job need not see its task. */
  path: string
  /** Whose numbers they have, and where they are opened. */
  task: number
  count: number
  /** Task-relative, of the frame at a place of the set. */
  numberAt: (index: number) => number
}

/** The service numbers the frames of a task from 0: nothing has to be asked for. */
export function framesOfTask({ id, size }: Pick<Task, 'id' | 'size'>): FrameSet {
  return { path: `/api/tasks/${id}`, task: id, count: size, numberAt: (index) => index }
}

type Span = Pick<Job, 'id' | 'task_id' | 'frame_count' | 'start_frame'>

/** Those from its first to its last; of ground truth the chosen ones, as its meta tells. */
export function framesOfJob(job: Span, meta?: DataMeta): FrameSet {
  const { id, task_id: task, frame_count: count, start_frame } = job
  const chosen = meta && chosenFrames(meta)
  const numberAt = (index: number) => chosen?.[index] ?? start_frame + index
  return { path: `/api/jobs/${id}`, task, count, numberAt }
}

type Chosen = Pick<DataMeta, 'included_frames' | 'start_frame' | 'frame_filter'>

/** `included_frames` counts as the source does. */
export function chosenFrames({ included_frames, start_frame, frame_filter }: Chosen) {
  if (!Array.isArray(included_frames)) return undefined
  const step = Number(/step=(\d+)/.exec(frame_filter)?.[1] ?? 1)
  return included_frames.map((source) => (Number(source) - start_frame) / step)
}

/** The place of a frame; of one that is not there the next, or the last. */
export function placeOf({ count, numberAt }: FrameSet, number: number): number {
  let [low, high] = [0, count - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (numberAt(middle) < number) low = middle + 1
    else high = middle
  }
  return low
}
