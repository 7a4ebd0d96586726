/** Metadata of the project, task or job that an export comes from, as native files contain it. Dates are ISO 8601. */

export interface UserDetails {
  username: string
  /** Empty when the caller may not see it. */
  email: string
}

export interface RecordDetails {
  id: number
  name: string
  bug_tracker: string
  created_date: string
  updated_date: string
  owner: UserDetails | null
  assignee: UserDetails | null
}

/** Metadata of a task, or of the part of a task that a job covers. */
export interface TaskDetails extends RecordDetails {
  /** Number of frames, including deleted ones. */
  size: number
  mode: 'annotation' | 'interpolation'
  overlap: number
  frame_filter: string
  /** Number of the task's frame 0 in its media, and the distance between two frames of the task. */
  origin: number
  step: number
  /** First and last frame, in the numbering of the media. */
  start_frame: number
  stop_frame: number
  /** Annotation jobs; their frames are relative to the task. */
  segments: readonly { id: number; start_frame: number; stop_frame: number; url: string }[]
  /** The video of the frames; absent for images. */
  video?: { name: string; width: number; height: number }
}
