import { z } from 'zod'
import { label } from './labels.ts'
import { chapterList, frameSource } from './media.ts'
import { validationParams } from './validation.ts'

/** Facts that services exchange. The REST API never returns these schemas. */

export const targets = ['project', 'task', 'job'] as const

/** Frame range of a job, task-relative and inclusive. */
export const jobRange = z
  .object({ id: z.int(), start_frame: z.int(), stop_frame: z.int() })
  .meta({ id: 'JobRange' })

/**
 * Ids of the last events that removed or replaced labels or attributes of the target, one for each owner of labels.
 * Once annotations-svc has handled all of them, the annotations match the current labels.
 */
const labelEvents = z.array(z.string())

/**
 * Answer of `authorize`. An answer at all means permission (403 and 404 are thrown); it contains the facts that other
 * services need for their rules and data.
 */
export const facts = z
  .object({
    target: z.enum(targets),
    /** Name of the target; for a job, that of its task. */
    name: z.string(),
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    job_id: z.int().nullable(),
    organization_id: z.int().nullable(),
    /**
     * Role of the caller in that organization: owner, maintainer, supervisor, worker, or guest for an assignee of the
     * job who is not a member; null without an organization.
     */
    organization_role: z.string().nullable(),
    /** Relations of the caller to the target, as in the permission rules. See docs/spec/access.md#permissions. */
    relations: z.array(z.string()),
    /** Increased by every change of a label or attribute of the target; attributes stored earlier may be incomplete. */
    labels_revision: z.int(),
    /** See `labelEvents`. */
    label_events: labelEvents,
    /** Number of frames of the task; 0 without media, and for projects. */
    size: z.int(),
    dimension: z.string(),
    subset: z.string(),
    /** Update date of the target (for a project, the newest of it and its tasks) in ISO 8601. */
    updated_date: z.string(),
    /** For a task, all its jobs of type annotation, ordered by id; for a job, that job. */
    jobs: z.array(jobRange),
    /** For a ground-truth job, its frames in ascending order; empty: all of its range. */
    frames: z.array(z.int()),
  })
  .meta({ id: 'Facts' })

export const authorizeQuery = z.object({
  target: z.enum(targets),
  id: z.int(),
  /** Action of the rules of the target, such as `annotations:write`. */
  action: z.string(),
})

/** Labels of a project, task or job as REST records; inside a project, those of the project. */
export const labelSet = z
  .object({ labels_revision: z.int(), labels: z.array(label) })
  .meta({ id: 'LabelSet' })

/** Frame sizes in pixels, as runs of equal ones in frame order: most tasks are one run. */
export const frameSizes = z
  .object({
    runs: z.array(
      z.object({ count: z.int(), width: z.int(), height: z.int() }).meta({ id: 'FrameSizeRun' }),
    ),
  })
  .meta({ id: 'FrameSizes' })

/** Deleted frames of a task, in ascending order. */
export const deletedFrames = z.object({ frames: z.array(z.int()) }).meta({ id: 'DeletedFrames' })

/** Frames and media of a task. */
export const mediaFacts = z
  .object({
    /** First and last frame, in the numbering of the media. */
    start_frame: z.int(),
    stop_frame: z.int(),
    /** `step=N`; empty: every frame. */
    frame_filter: z.string(),
    /** File of the video that contains all frames; null for images. */
    video_name: z.string().nullable(),
  })
  .meta({ id: 'MediaFacts' })

const frameRange = z.object({ start: z.int(), stop: z.int() }).meta({ id: 'FrameRange' })

/** Part of one task that a target includes. */
export const taskExtent = z
  .object({
    task_id: z.int(),
    size: z.int(),
    dimension: z.string(),
    /** As in `facts`. */
    jobs: z.array(jobRange),
    frames: z.array(z.int()),
    /** Deleted frames of the task, as ascending ranges with gaps between them; inclusive. */
    deleted: z.array(frameRange),
  })
  .meta({ id: 'TaskExtent' })

/** Parts of all tasks of a target; for a project a page of its tasks, ordered by id. */
export const extents = z
  .object({
    labels_revision: z.int(),
    /** See `labelEvents`. */
    label_events: labelEvents,
    tasks: z.array(taskExtent),
    /** Id of the last task of this page, if more follow; otherwise null. */
    next: z.int().nullable(),
  })
  .meta({ id: 'Extents' })

/** Location of the files of frames outside of the object store. */
const outsideStorage = z.enum(['share', 'cloud_storage'])

/** Frame for reading: where its bytes are, and how to decode and cache them. */
export const locatedFrame = frameSource
  .extend({
    task_id: z.int(),
    frame: z.int(),
    image_quality: z.int(),
    data_revision: z.int(),
    storage: outsideStorage.optional(),
  })
  .meta({ id: 'LocatedFrame' })

/** Frames of a chunk of a task, or of the part of it within a job; task-relative and inclusive. */
export const locatedChunk = z
  .object({
    task_id: z.int(),
    start: z.int(),
    stop: z.int(),
    /** For a ground-truth job, its frames among these in ascending order; absent: all of them. */
    chosen: z
      .object({ frames: z.array(z.int()) })
      .meta({ id: 'ChosenFrames' })
      .optional(),
    /** Whether placeholders replace the frames that the job does not have. */
    has_placeholders: z.boolean().optional(),
    image_quality: z.int(),
    data_revision: z.int(),
    chunks_updated_date: z.string(),
    storage: outsideStorage.optional(),
  })
  .meta({ id: 'LocatedChunk' })

/** Query of an upload of media, whose frames are in the body as frame lines (`frame-lines.ts`). */
export const attachMediaQuery = z.object({
  task_id: z.int(),
  /** Uuid of the request; repeated calls with one id attach once. */
  call_id: z.string(),
  image_quality: z.int(),
  /** Frames per chunk. */
  chunk_size: z.int(),
  /** Parameters of ground truth that is created together with the jobs. */
  validation_params: validationParams.optional(),
  /** Number of frames of every job, in order; absent: jobs have equal lengths. */
  job_sizes: z
    .object({ frames: z.array(z.int()) })
    .meta({ id: 'JobSizes' })
    .optional(),
  /** Number of jobs; absent: the segment size of the task determines it. */
  job_count: z.int().optional(),
  /** Selection of frames from the source: the number of the first one, and `step=N`; absent: all. */
  start_frame: z.int().optional(),
  frame_filter: z.string().optional(),
  /** File of the video that contains all frames; absent for images. */
  video_name: z.string().optional(),
  /** Chapters of that video; absent without any. */
  chapters: chapterList.optional(),
  storage: outsideStorage.optional(),
  /** Id of the cloud storage with the files. */
  cloud_storage_id: z.int().optional(),
})
export const attachedMedia = z
  .object({ size: z.int(), jobs: z.int() })
  .meta({ id: 'AttachedMedia' })

export type Extents = z.infer<typeof extents>
export type Facts = z.infer<typeof facts>
export type JobRange = z.infer<typeof jobRange>
export type LabelSet = z.infer<typeof labelSet>
export type LocatedChunk = z.infer<typeof locatedChunk>
export type LocatedFrame = z.infer<typeof locatedFrame>
export type TaskExtent = z.infer<typeof taskExtent>
