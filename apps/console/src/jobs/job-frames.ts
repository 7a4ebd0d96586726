import type { Job } from '@reticle/sdk'

/** Returns the frame range, `0–99`; for a ground-truth job with the number of frames: `12 of 0–99`. */
export function framesText(job: Pick<Job, 'start_frame' | 'stop_frame' | 'frame_count'>): string {
  const { start_frame, stop_frame, frame_count } = job
  if (frame_count === 0) return 'none'
  const span = start_frame === stop_frame ? `${start_frame}` : `${start_frame}–${stop_frame}`
  return isWhole(job) ? span : `${frame_count} of ${span}`
}

/** Returns whether a job has every frame of its range. */
export const isWhole = (job: Pick<Job, 'start_frame' | 'stop_frame' | 'frame_count'>) =>
  job.frame_count === job.stop_frame - job.start_frame + 1
