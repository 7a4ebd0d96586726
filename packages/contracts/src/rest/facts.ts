import { z } from 'zod'
import { label } from './labels.ts'
import { chapterList, frameSource } from './media.ts'
import { validationParams } from './validation.ts'

/** What services tell each other: never an answer of the REST API. */

export const targets = ['project', 'task', 'job'] as const

/** A job's frames, task-relative and inclusive. */
export const jobRange = z
  .object({ id: z.int(), start_frame: z.int(), stop_frame: z.int() })
  .meta({ id: 'JobRange' })

/**
 * Ids of the last events by which annotations of the target lost labels or attributes, or got others in their place: one for
 * each owner of labels. The annotations are those of today's labels once annotations-svc has handled all of these.
 */
const labelEvents = z.array(z.string())

/**
 * Answer of `authorize`: the verdict is that it answers at all (403 and 404 are thrown); these are the facts that other
 * services need for rules and data of their own.
 */
export const facts = z
  .object({
    target: z.enum(targets),
    /** Of the target; of a job that of its task. */
    name: z.string(),
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    job_id: z.int().nullable(),
    organization_id: z.int().nullable(),
    /**
     * The caller's role in that organization: owner, maintainer, supervisor, worker, or guest for somebody from outside who
     * is assigned to the job; null outside one.
     */
    organization_role: z.string().nullable(),
    /** How the caller stands to the target (`spec/api-workspace.md` 2.5): words of the rules' `who`. */
    relations: z.array(z.string()),
    /** Raised whenever a label or attribute of the target changes; attributes stored earlier may be incomplete. */
    labels_revision: z.int(),
    /** As `labelEvents`. */
    label_events: labelEvents,
    /** Frames of the task; 0 without media, and for projects. */
    size: z.int(),
    dimension: z.string(),
    subset: z.string(),
    /** Of the target (a project: the newest of it and its tasks), ISO 8601. */
    updated_date: z.string(),
    /** Of a task all its jobs of type annotation in id order, of a job that one. */
    jobs: z.array(jobRange),
    /** Of a ground-truth job the frames it has, ascending; empty: all of its range. */
    frames: z.array(z.int()),
  })
  .meta({ id: 'Facts' })

export const authorizeQuery = z.object({
  target: z.enum(targets),
  id: z.int(),
  /** An action of the target's rules, e.g. `annotations:write`. */
  action: z.string(),
})

/** Labels of a project, task or job, the project's where it is in one, as REST records. */
export const labelSet = z
  .object({ labels_revision: z.int(), labels: z.array(label) })
  .meta({ id: 'LabelSet' })

/** Frame sizes as runs of equal ones, in frame order: most tasks are one run. */
export const frameSizes = z
  .object({
    runs: z.array(
      z.object({ count: z.int(), width: z.int(), height: z.int() }).meta({ id: 'FrameSizeRun' }),
    ),
  })
  .meta({ id: 'FrameSizes' })

/** Frames of a task that were deleted, ascending. */
export const deletedFrames = z.object({ frames: z.array(z.int()) }).meta({ id: 'DeletedFrames' })

/** Which frames of which media a task has. */
export const mediaFacts = z
  .object({
    /** Its first and last frame, as the media counts them. */
    start_frame: z.int(),
    stop_frame: z.int(),
    /** `step=N`; empty: every frame. */
    frame_filter: z.string(),
    /** Of the video that all of them are of, its file. */
    video_name: z.string().nullable(),
  })
  .meta({ id: 'MediaFacts' })

const frameRange = z.object({ start: z.int(), stop: z.int() }).meta({ id: 'FrameRange' })

/** What of one task a target is about. */
export const taskExtent = z
  .object({
    task_id: z.int(),
    size: z.int(),
    dimension: z.string(),
    /** As in `facts`. */
    jobs: z.array(jobRange),
    frames: z.array(z.int()),
    /** Frames of the task that were deleted, ascending and apart from each other; inclusive. */
    deleted: z.array(frameRange),
  })
  .meta({ id: 'TaskExtent' })

/** Of a project a page of its tasks, by id. */
export const extents = z
  .object({
    labels_revision: z.int(),
    /** As `labelEvents`. */
    label_events: labelEvents,
    tasks: z.array(taskExtent),
    /** The last task of a page that has others behind it; null: these were the last. */
    next: z.int().nullable(),
  })
  .meta({ id: 'Extents' })

/** One frame for reading: what is needed to find, decode and cache its bytes. */
/** Where the files of frames are, when not in the object store. */
const outsideStorage = z.enum(['share', 'cloud_storage'])

export const locatedFrame = frameSource
  .extend({
    task_id: z.int(),
    frame: z.int(),
    image_quality: z.int(),
    data_revision: z.int(),
    storage: outsideStorage.optional(),
  })
  .meta({ id: 'LocatedFrame' })

/** The frames of a chunk, of a task or of as much of it as a job has; task-relative and inclusive. */
export const locatedChunk = z
  .object({
    task_id: z.int(),
    start: z.int(),
    stop: z.int(),
    /** Of a ground-truth job those it has of these, ascending; absent: all of them. */
    chosen: z
      .object({ frames: z.array(z.int()) })
      .meta({ id: 'ChosenFrames' })
      .optional(),
    /** Placeholders stand for the frames that the job does not have. */
    has_placeholders: z.boolean().optional(),
    image_quality: z.int(),
    data_revision: z.int(),
    chunks_updated_date: z.string(),
    storage: outsideStorage.optional(),
  })
  .meta({ id: 'LocatedChunk' })

/** Frames travel as frame lines (`frame-lines.ts`). */
export const attachMediaQuery = z.object({
  task_id: z.int(),
  /** The request's uuid: attaching twice with one is attaching once. */
  call_id: z.string(),
  image_quality: z.int(),
  /** Frames per chunk. */
  chunk_size: z.int(),
  /** Ground truth that is made together with the jobs. */
  validation_params: validationParams.optional(),
  /** Frames of every job, in order; absent: jobs are equally long. */
  job_sizes: z
    .object({ frames: z.array(z.int()) })
    .meta({ id: 'JobSizes' })
    .optional(),
  /** How many of these; absent: as the task says. */
  job_count: z.int().optional(),
  /** Which frames of the source these are: the first one's number, and `step=N`; absent: all of them. */
  start_frame: z.int().optional(),
  frame_filter: z.string().optional(),
  /** Of the video that all of them are frames of, its file; absent: they are images. */
  video_name: z.string().optional(),
  /** Of that video; absent: it has none. */
  chapters: chapterList.optional(),
  storage: outsideStorage.optional(),
  /** The cloud storage that they are in. */
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
