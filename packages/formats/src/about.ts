/** What files tell of the project, task or job that they come from (spec/formats.md 7.3). Dates are ISO 8601. */

export interface Person {
  username: string
  /** Empty where it is not for the caller to know. */
  email: string
}

export interface Described {
  id: number
  name: string
  bug_tracker: string
  created_date: string
  updated_date: string
  owner: Person | null
  assignee: Person | null
}

/** A task, or the part of one that a job is. */
export interface TaskAbout extends Described {
  /** In frames, deleted ones counted. */
  size: number
  mode: 'annotation' | 'interpolation'
  overlap: number
  frame_filter: string
  /** Number of the task's frame 0 in its media, and from one frame of the task to the next. */
  origin: number
  step: number
  /** First and last frame, as the media counts them. */
  start_frame: number
  stop_frame: number
  /** Its annotation jobs; frames relative to the task. */
  segments: readonly { id: number; start_frame: number; stop_frame: number; url: string }[]
  /** Of the video that the frames are of; absent: they are pictures. */
  video?: { name: string; width: number; height: number }
}
