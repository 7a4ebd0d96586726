import type {
  BackupIssue,
  BackupJob,
  BackupProject,
  BackupTask,
} from '@reticle/contracts/rest/backups'
import { backupIssue } from '@reticle/contracts/rest/backups'
import { jobTypes, stages, states } from '@reticle/contracts/rest/jobs'
import { labelWrite } from '@reticle/contracts/rest/labels'
import type { Chapter } from '@reticle/contracts/rest/media'
import { projectCreate, statuses } from '@reticle/contracts/rest/projects'
import { stepOf } from '@reticle/contracts/rest/sources'
import { taskCreate } from '@reticle/contracts/rest/tasks'
import { FormatError } from '@reticle/formats/report/errors'
import { z } from 'zod'
import { UnusableInput } from '../work/errors.ts'
import { type BackupArchive, readDocument } from './read-archive.ts'
import { version } from './write-task.ts'

/** Archives of older versions or of CVAT may lack fields, which then have the default of CVAT. */

const label = labelWrite.omit({ id: true, deleted: true })
export type ArchivedLabel = z.infer<typeof label>

const frame = z.int().min(0)
const versioned = z.object({ version: z.unknown() })

const projectJson = z.object({
  name: projectCreate.shape.name,
  bug_tracker: projectCreate.shape.bug_tracker,
  status: z.enum(statuses).catch('annotation'),
  labels: z.array(label).default([]),
})

const jobJson = z.object({
  type: z.enum(jobTypes).default('annotation'),
  status: z.enum(statuses).default('annotation'),
  stage: z.enum(stages).optional(),
  state: z.enum(states).optional(),
  start_frame: frame,
  stop_frame: frame,
  frames: z.array(frame).nullish(),
  disabled_frames: z.array(frame).nullish(),
  files: z.array(z.string()).nullish(),
})

const dataJson = z.object({
  chunk_size: z.int().min(1).nullable().default(null),
  image_quality: z.int().min(1).max(100).default(70),
  start_frame: frame.default(0),
  stop_frame: frame.nullable().default(null),
  frame_filter: z.string().max(64).default(''),
  storage: z.enum(['local', 'share', 'cloud_storage']).catch('local'),
  deleted_frames: z.array(frame).default([]),
  custom_segments: z.boolean().default(false),
  validation_layout: z
    .object({ mode: z.string().nullish(), frames: z.array(z.string()).default([]) })
    .nullish(),
  validation_params: z.object({ mode: z.string().nullish() }).nullish(),
  source_frames: z.object({ start_frame: frame, frame_filter: z.string().max(64) }).optional(),
})

const taskJson = z.object({
  name: taskCreate.shape.name,
  bug_tracker: taskCreate.shape.bug_tracker,
  subset: taskCreate.shape.subset,
  labels: z.array(label).default([]),
  data: dataJson,
  jobs: z.array(jobJson).min(1),
})
export type ArchivedTask = z.infer<typeof taskJson>

/**
 * Reads the description of a project.
 *
 * @throws FormatError, UnusableInput
 */
export async function readProject(
  archive: BackupArchive,
): Promise<Omit<BackupProject, 'guide'> & { labels: ArchivedLabel[] }> {
  await assertVersion(archive, 'project.json')
  const read = await readDocument(archive, 'project.json', projectJson)
  if (!read) throw new UnusableInput('The archive is not a backup')
  return { ...read, bug_tracker: read.bug_tracker ?? '' }
}

/**
 * Reads the description of a task.
 *
 * @throws FormatError, UnusableInput
 */
export async function readTask(archive: BackupArchive, folder: string): Promise<ArchivedTask> {
  const file = `${folder}task.json`
  await assertVersion(archive, file)
  const read = await readDocument(archive, file, taskJson)
  if (!read) throw new UnusableInput('The archive is not a backup')
  const { validation_layout, validation_params } = read.data
  const mode = validation_layout?.mode ?? validation_params?.mode
  if (mode === 'gt_pool')
    throw new FormatError(`Validation mode '${mode}' is not supported`, { file })
  return read
}

/** Reads the issues of a task, which only archives of Reticle contain. */
export async function readIssues(archive: BackupArchive, folder: string): Promise<BackupIssue[]> {
  return (await readDocument(archive, `${folder}issues.json`, z.array(backupIssue))) ?? []
}

async function assertVersion(archive: BackupArchive, file: string): Promise<void> {
  const read = await readDocument(archive, file, versioned)
  if (!read || read.version === version) return
  const given = JSON.stringify(read.version ?? null).slice(0, 40)
  throw new FormatError(
    `${given} version is not supported. Upgrades from versions before 2.0 cannot be done directly`,
    { file },
  )
}

/** Facts of the media that was found. */
export interface ArchivedMediaFacts {
  /** Numbers of the frames that ground truth may name, by their names. */
  numbers: ReadonlyMap<string, number>
  video_name: string | null
  /** Chapters of that video; absent without any. */
  chapters?: { chapters: Chapter[] }
  chunk_size: number
}

/** Converts a task to the form in which services exchange it. */
export function toBackupTask(
  { name, bug_tracker = '', subset = '', labels, data, jobs }: ArchivedTask,
  { numbers, video_name, chapters, chunk_size }: ArchivedMediaFacts,
): Omit<BackupTask, 'guide'> {
  const { start_frame, frame_filter } = data.source_frames ?? data
  const step = stepOf(frame_filter)
  return {
    name,
    bug_tracker,
    subset,
    labels,
    status: 'annotation',
    has_custom_segments: data.custom_segments,
    data: {
      chunk_size: data.chunk_size ?? chunk_size,
      image_quality: data.image_quality,
      start_frame,
      frame_filter: step > 1 ? `step=${step}` : '',
      storage: data.storage === 'cloud_storage' ? 'cloud_storage' : 'local',
      video_name,
      deleted_frames: data.deleted_frames,
      ...(chapters && { chapters }),
    },
    jobs: inPlace(jobs, data.custom_segments).map((job) => toJob(job, data, numbers)),
  }
}

type ArchivedJob = ArchivedTask['jobs'][number]

/** Computes frame ranges of jobs that list their files, since frames are in the order of these. */
function inPlace(jobs: readonly ArchivedJob[], isListed: boolean): ArchivedJob[] {
  let next = 0
  return jobs.map((job) => {
    if (!isListed || job.type !== 'annotation' || !job.files) return job
    const start_frame = next
    next += job.files.length
    return { ...job, start_frame, stop_frame: next - 1 }
  })
}

function toJob(
  { files: _, frames, disabled_frames, ...job }: ArchivedJob,
  { validation_layout }: ArchivedTask['data'],
  numbers: ReadonlyMap<string, number>,
): BackupJob {
  if (job.type !== 'ground_truth') return job
  const named = (validation_layout?.frames ?? []).flatMap((name) => numbers.get(name) ?? [])
  return { ...job, frames: frames ?? named, disabled_frames: disabled_frames ?? [] }
}
