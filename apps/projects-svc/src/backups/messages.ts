import type { BackupJob, BackupTask } from '@reticle/contracts/rest/backups'
import type { DataSetRow, JobRow, ValidationFrameRow } from '../db/schema.ts'
import type { TaskView } from '../tasks/repo.ts'

/** Rows of a task that its backup line contains. */
export interface BackupTaskRows {
  row: TaskView
  guide: string | null
  dataSet: DataSetRow
  jobs: readonly JobRow[]
  /** Frames of its ground truth. */
  truth: readonly ValidationFrameRow[]
}

export function toBackupTask({ row, guide, dataSet, jobs, truth }: BackupTaskRows): BackupTask {
  const { id, name, bug_tracker, status, subset, segment_size } = row
  const { chunk_size, image_quality, start_frame, frame_filter } = dataSet
  const { storage, video_name, deleted_frames } = dataSet
  return {
    id,
    name,
    bug_tracker,
    status,
    subset,
    guide,
    has_custom_segments: segment_size === 0,
    data: {
      chunk_size,
      image_quality,
      start_frame,
      frame_filter,
      storage,
      video_name,
      deleted_frames,
    },
    jobs: [...jobs].sort(inOrder).map((job) => toBackupJob(job, truth)),
  }
}

function toBackupJob(
  { id, type, status, stage, state, start_frame, stop_frame }: JobRow,
  truth: readonly ValidationFrameRow[],
): BackupJob {
  const job = { id, type, status, stage, state, start_frame, stop_frame }
  if (type !== 'ground_truth') return job
  const disabled = truth.filter(({ is_disabled }) => is_disabled)
  return {
    ...job,
    frames: truth.map(({ frame }) => frame),
    disabled_frames: disabled.map(({ frame }) => frame),
  }
}

/** Sorts jobs by segment: replicas follow their original, and ground truth, which has its own segment, is last. */
function inOrder(one: JobRow, other: JobRow): number {
  const [first, second] = [one, other].map(({ type }) => Number(type === 'ground_truth'))
  if (first !== second) return (first ?? 0) - (second ?? 0)
  return (one.parent_job_id ?? one.id) - (other.parent_job_id ?? other.id) || one.id - other.id
}
