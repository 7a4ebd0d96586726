import type { Job } from '@reticle/sdk'

/** `0–99`; of ground truth how many of them: `12 of 0–99`. */
export function framesText(job: Pick<Job, 'start_frame' | 'stop_frame' | 'frame_count'>): string {
  const { start_frame, stop_frame, frame_count } = job
  if (frame_count === 0) return 'none'
  const span = start_frame === stop_frame ? `${start_frame}` : `${start_frame}–${stop_frame}`
  return isWhole(job) ? span : `${frame_count} of ${span}`
}

/** Whether it has every frame from its first to its last. */
export const isWhole = (job: Pick<Job, 'start_frame' | 'stop_frame' | 'frame_count'>) =>
  job.frame_count === job.stop_frame - job.start_frame + 1
