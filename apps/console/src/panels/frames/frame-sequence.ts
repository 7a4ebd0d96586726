import type { DataMeta, Job, Task } from '@reticle/sdk'

/** Frames of a task or job. */
export interface FrameSequence {
  /** API path of the pictures. Access to a job does not include access to its task. */
  path: string
  /** Task whose frame numbers are used and whose viewer opens. */
  task: number
  count: number
  /** Returns the frame number in the task at an index of the set. */
  numberAt: (index: number) => number
}

/** Returns the frames of a task, which are numbered from 0, so no request is needed. */
export function framesOfTask({ id, size }: Pick<Task, 'id' | 'size'>): FrameSequence {
  return { path: `/api/tasks/${id}`, task: id, count: size, numberAt: (index) => index }
}

type Span = Pick<Job, 'id' | 'task_id' | 'frame_count' | 'start_frame'>

/** Returns the frames of a job: its range, or for ground truth the selected ones from its meta data. */
export function framesOfJob(job: Span, meta?: DataMeta): FrameSequence {
  const { id, task_id: task, frame_count: count, start_frame } = job
  const chosen = meta && chosenFrames(meta)
  const numberAt = (index: number) => chosen?.[index] ?? start_frame + index
  return { path: `/api/jobs/${id}`, task, count, numberAt }
}

type SelectedFrames = Pick<DataMeta, 'included_frames' | 'start_frame' | 'frame_filter'>

/** Converts `included_frames` from source numbers to task numbers. */
export function chosenFrames({ included_frames, start_frame, frame_filter }: SelectedFrames) {
  if (!Array.isArray(included_frames)) return undefined
  const step = Number(/step=(\d+)/.exec(frame_filter)?.[1] ?? 1)
  return included_frames.map((source) => (Number(source) - start_frame) / step)
}

/** Returns the index of a frame; for a missing one that of the next frame, or the last. */
export function indexOfFrame({ count, numberAt }: FrameSequence, number: number): number {
  let [low, high] = [0, count - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (numberAt(middle) < number) low = middle + 1
    else high = middle
  }
  return low
}
