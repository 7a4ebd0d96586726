import { z } from 'zod'
import { integer, queryFlag } from './common.ts'
import { jobTypes, stages, states } from './jobs.ts'
import { labelWrite } from './labels.ts'
import { chapterList, frameSource } from './media.ts'
import { statuses } from './projects.ts'
import { dryRun } from './requests.ts'

/** Backups of projects and tasks. See docs/spec/workspace.md#backups. */

/** Kinds of objects that can be backed up. */
export const backedUp = ['project', 'task'] as const

export const backupQuery = z.object({
  filename: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: integer.optional(),
  lightweight: queryFlag.default(true).meta({
    description: 'Yes: media in a cloud storage is listed, but not copied',
  }),
})

/** `rq_id` belongs to the old protocol, in which this call returned the progress of a restore. */
export const restoreQuery = z.object({
  filename: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: integer.optional(),
  dry_run: dryRun,
  rq_id: z.string().optional(),
})

/** The following schemas describe backups between services, in the form of `backup-lines.ts`. */

const backupJob = z.object({
  /** Id of the original job. */
  id: z.int().optional(),
  type: z.enum(jobTypes),
  status: z.enum(statuses),
  stage: z.enum(stages).optional(),
  state: z.enum(states).optional(),
  /** Frame range, task-relative and inclusive. */
  start_frame: z.int(),
  stop_frame: z.int(),
  /** For ground truth: its frames, and those of them that are excluded. */
  frames: z.array(z.int()).optional(),
  disabled_frames: z.array(z.int()).optional(),
})

export const backupProject = z.object({
  name: z.string(),
  bug_tracker: z.string(),
  status: z.enum(statuses),
  /** Markdown; null without a guide. */
  guide: z.string().nullable(),
})

export const backupTask = z.object({
  /** Id of the original task. */
  id: z.int().optional(),
  name: z.string(),
  bug_tracker: z.string(),
  status: z.string(),
  subset: z.string(),
  guide: z.string().nullable(),
  /** Labels of a restored task without a project. When a task is backed up, its labels are read separately. */
  labels: z.array(labelWrite).optional(),
  /** Whether jobs are consecutive and have individual sizes. */
  has_custom_segments: z.boolean(),
  data: z.object({
    chunk_size: z.int(),
    image_quality: z.int(),
    /** Selection of frames from the source: the number of the first one, and `step=N` or nothing. */
    start_frame: z.int(),
    frame_filter: z.string(),
    storage: z.enum(['local', 'share', 'cloud_storage']),
    video_name: z.string().nullable(),
    /** Chapters of a restored task, read from its video; absent without any. */
    chapters: chapterList.optional(),
    deleted_frames: z.array(z.int()),
  }),
  /** Jobs ordered by their first frames, copies after their originals, ground truth last. */
  jobs: z.array(backupJob),
})

const backupComment = z.object({
  message: z.string(),
  /** Name of the author; null if the account no longer exists. */
  owner: z.string().nullable(),
})

export const backupIssue = z.object({
  /** Position of its job among those of the task. */
  job: z.int(),
  frame: z.int(),
  position: z.array(z.number()),
  resolved: z.boolean(),
  owner: z.string().nullable(),
  comments: z.array(backupComment),
})

/** A line contains exactly one of these. */
export const backupLine = z
  .object({ project: backupProject, task: backupTask, frame: frameSource, issue: backupIssue })
  .partial()
  .refine((line) => Object.keys(line).length === 1, { error: 'one key is expected' })

export const backupTarget = z.object({ target: z.enum(backedUp), id: z.int() })

/** Jobs of a restored task, in the order of the backup. */
export const restoredTask = z.object({ job_ids: z.array(z.int()) }).meta({ id: 'RestoredTask' })

export type BackedUp = (typeof backedUp)[number]
export type BackupIssue = z.infer<typeof backupIssue>
export type BackupJob = z.infer<typeof backupJob>
export type BackupLine = z.infer<typeof backupLine>
export type BackupProject = z.infer<typeof backupProject>
export type BackupTask = z.infer<typeof backupTask>
