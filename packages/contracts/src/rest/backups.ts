import { z } from 'zod'
import { integer, queryFlag } from './common.ts'
import { jobTypes, stages, states } from './jobs.ts'
import { labelWrite } from './labels.ts'
import { chapterList, frameSource } from './media.ts'
import { statuses } from './projects.ts'
import { dryRun } from './requests.ts'

/** Backups of projects and tasks: `spec/api-annotations.md` 2.5, `spec/api-workspace.md` 7. */

/** What there are backups of. */
export const backedUp = ['project', 'task'] as const

export const backupQuery = z.object({
  filename: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: integer.optional(),
  lightweight: queryFlag.default(true).meta({
    description: 'Yes: media that is in a cloud storage stays there, and is only listed',
  }),
})

/** `rq_id` belongs to the old protocol, which asked here how far a restore was. */
export const restoreQuery = z.object({
  filename: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: integer.optional(),
  dry_run: dryRun,
  rq_id: z.string().optional(),
})

/** What services tell each other of what is backed up and restored, as `backup-lines.ts` has it. */

const backupJob = z.object({
  /** Of the job that is backed up. */
  id: z.int().optional(),
  type: z.enum(jobTypes),
  status: z.enum(statuses),
  stage: z.enum(stages).optional(),
  state: z.enum(states).optional(),
  /** Task-relative, inclusive. */
  start_frame: z.int(),
  stop_frame: z.int(),
  /** Of ground truth: the frames it has, and those of them that do not count. */
  frames: z.array(z.int()).optional(),
  disabled_frames: z.array(z.int()).optional(),
})

export const backupProject = z.object({
  name: z.string(),
  bug_tracker: z.string(),
  status: z.enum(statuses),
  /** Markdown; null where there is none. */
  guide: z.string().nullable(),
})

export const backupTask = z.object({
  /** Of the task that is backed up. */
  id: z.int().optional(),
  name: z.string(),
  bug_tracker: z.string(),
  status: z.string(),
  subset: z.string(),
  guide: z.string().nullable(),
  /** Of one that is restored and in no project; those of one that is backed up are read elsewhere. */
  labels: z.array(labelWrite).optional(),
  /** Jobs follow each other and have sizes of their own. */
  has_custom_segments: z.boolean(),
  data: z.object({
    chunk_size: z.int(),
    image_quality: z.int(),
    /** Which frames of the source these are: the first one's number, and `step=N` or nothing. */
    start_frame: z.int(),
    frame_filter: z.string(),
    storage: z.enum(['local', 'share', 'cloud_storage']),
    video_name: z.string().nullable(),
    /** Of a task that is restored: read from its video. Absent: it has none. */
    chapters: chapterList.optional(),
    deleted_frames: z.array(z.int()),
  }),
  /** By their first frames, copies behind what they are copies of, ground truth last. */
  jobs: z.array(backupJob),
})

const backupComment = z.object({
  message: z.string(),
  /** The name of who wrote it; null when nobody knows any more. */
  owner: z.string().nullable(),
})

export const backupIssue = z.object({
  /** The place of its job among those of the task. */
  job: z.int(),
  frame: z.int(),
  position: z.array(z.number()),
  resolved: z.boolean(),
  owner: z.string().nullable(),
  comments: z.array(backupComment),
})

/** One of these. */
export const backupLine = z
  .object({ project: backupProject, task: backupTask, frame: frameSource, issue: backupIssue })
  .partial()
  .refine((line) => Object.keys(line).length === 1, { error: 'one key is expected' })

export const backupTarget = z.object({ target: z.enum(backedUp), id: z.int() })

/** Jobs of a task that was restored, in the order of the backup. */
export const restoredTask = z.object({ job_ids: z.array(z.int()) }).meta({ id: 'RestoredTask' })

export type BackedUp = (typeof backedUp)[number]
export type BackupIssue = z.infer<typeof backupIssue>
export type BackupJob = z.infer<typeof backupJob>
export type BackupLine = z.infer<typeof backupLine>
export type BackupProject = z.infer<typeof backupProject>
export type BackupTask = z.infer<typeof backupTask>
