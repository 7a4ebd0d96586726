import type { media } from '@reticle/contracts/api/media'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { jobCreated, taskUpdated } from '@reticle/contracts/events/tasks'
import { decodeFrames, FrameLinesError } from '@reticle/contracts/frame-lines'
import type { JobRange } from '@reticle/contracts/rest/facts'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { stepOf } from '@reticle/contracts/rest/sources'
import { type CallContext, invalidText, notFound, signedIn } from '@reticle/kit'
import type { Bytes } from '@reticle/kit/call/context'
import { applyOnce } from '@reticle/kit/keys/applied-calls'
import { emit, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../bodies/changes.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { addRequestedGroundTruth } from '../ground-truth/with-media.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobsOf } from '../jobs/repo.ts'
import { lockCloudStorage } from '../storages/cloud/repo.ts'
import { mostEvents } from '../tasks/deleted.ts'
import { taskRecord } from '../tasks/records.ts'
import {
  findOtherDimension,
  listJobStatuses,
  lockTask,
  type TaskView,
  updateTask,
} from '../tasks/repo.ts'
import { taskStatus } from '../tasks/status.ts'
import {
  copyFrames,
  insertChapters,
  insertDataSet,
  insertJobs,
  insertReplicas,
  setLastFrame,
} from './repo.ts'
import { insertFrameNames } from './repo-names.ts'
import { permittedSource } from './source.ts'
import { planSplit, rangesOf, type Split, splitRanges } from './split.ts'

type Tx = Transaction<ProjectsDb>
type Attach = OperationInput<(typeof media)['attachMedia']>

export interface AttachSettings {
  maxJobsPerTask: number
}

/**
 * Stores the frames of `body` as the media of a task and splits them into jobs, in one transaction. A repeated
 * `call_id` changes nothing and returns the same result (`docs/spec/workspace.md#attaching-media`).
 *
 * @throws DomainError not_found without the task, invalid with the text that becomes the message of the request
 */
export function attachMedia(
  tx: Tx,
  input: Attach,
  settings: AttachSettings,
  context: CallContext,
): Promise<{ size: number; jobs: number }> {
  return applyOnce(tx, input.call_id, async () => {
    await allowLongStatements(tx)
    const row = await lockTask(tx, input.task_id)
    if (!row) throw notFound()
    if (row.size > 0) throw invalidText('Adding more data is not supported')
    if (row.project_id !== null && (await findOtherDimension(tx, row.project_id, row)))
      throw invalidText(`The project has tasks of another dimension than ${row.dimension}`)
    if (input.cloud_storage_id !== undefined) await takeSource(tx, input, context)
    return attachFrames(tx, row, { ...input, frames: readable(input.body) }, settings, context)
  })
}

/** Checks the storage again: it may have been deleted or hidden since the request was created. */
async function takeSource(
  tx: Tx,
  { task_id, cloud_storage_id = 0 }: Attach,
  context: CallContext,
): Promise<void> {
  await lockCloudStorage(tx, cloud_storage_id)
  await permittedSource(tx, signedIn(context), { task_id, cloud_storage_id })
}

/** Frames of a task and how they are split into jobs. */
export interface Media extends Omit<Attach, 'task_id' | 'call_id' | 'body'> {
  frames: AsyncIterable<FrameSource[]>
  /** Jobs of a restored task; absent: the split options decide. */
  split?: Split & { ranges: readonly Range[] }
  /** Runs after the jobs are inserted and before events are emitted; returns the validation mode. */
  arrange?: (size: number) => Promise<ValidationMode>
}

type Range = Pick<JobRange, 'start_frame' | 'stop_frame'>
type ValidationMode = TaskView['validation_mode']

/**
 * Stores frames from any source for a locked task without media.
 *
 * @throws DomainError invalid
 */
export async function attachFrames(
  tx: Tx,
  row: TaskView,
  media: Media,
  settings: AttachSettings,
  context: CallContext,
): Promise<{ size: number; jobs: number }> {
  const size = await storeFrames(tx, row.id, media, context.signal)
  return { size, jobs: await splitTask(tx, row, { ...media, size }, settings, context) }
}

async function storeFrames(
  tx: Tx,
  task_id: number,
  { image_quality, chunk_size, storage, cloud_storage_id, frames, ...given }: Media,
  signal: AbortSignal,
): Promise<number> {
  const { start_frame = 0, frame_filter = '', video_name, chapters } = given
  const kept = {
    task_id,
    image_quality,
    chunk_size,
    start_frame,
    frame_filter,
    storage,
    cloud_storage_id,
    video_name,
  }
  await insertDataSet(tx, { ...kept, stop_frame: start_frame })
  if (chapters) await insertChapters(tx, task_id, chapters.chapters)
  const size = await copyFrames(tx, task_id, frames, signal)
  if (size === 0) throw invalidText('No media data found')
  await setLastFrame(tx, task_id, start_frame + (size - 1) * stepOf(frame_filter))
  await insertFrameNames(tx, task_id)
  return size
}

async function* readable(body: Bytes): AsyncGenerator<FrameSource[]> {
  try {
    yield* decodeFrames(body)
  } catch (thrown) {
    throw thrown instanceof FrameLinesError ? invalidText(thrown.message) : thrown
  }
}

type SplitField =
  | 'validation_params'
  | 'job_sizes'
  | 'job_count'
  | 'video_name'
  | 'split'
  | 'arrange'
type SplitInput = Pick<Media, SplitField> & { size: number }

/** @returns the number of jobs */
async function splitTask(
  tx: Tx,
  row: TaskView,
  input: SplitInput,
  { maxJobsPerTask }: AttachSettings,
  context: CallContext,
): Promise<number> {
  const { size, arrange = requestedTruth(tx, row, input) } = input
  assertOneSplit(row, input)
  const { ranges, ...split } = input.split ?? rangesIn(row, input)
  const jobCount = split.jobs * (1 + row.consensus_replicas)
  if (jobCount > maxJobsPerTask)
    throw invalidText(
      `The task would have ${jobCount} jobs, at most ${maxJobsPerTask} are allowed: choose a larger segment_size`,
    )
  const before = await taskRecord(tx, row)
  await insertJobs(tx, row.id, ranges)
  await insertReplicas(tx, row)
  const validation_mode = await arrange(size)
  const { segment_size, overlap } = split
  const changed = await updateTask(tx, row.id, {
    size,
    segment_size,
    overlap,
    mode: input.video_name === undefined ? 'annotation' : 'interpolation',
    media_type: 'image',
    status: taskStatus(await listJobStatuses(tx, row.id)),
    validation_mode,
  })
  if (row.draft_id !== null) return jobCount // publishing the draft emits its events
  const task = await taskRecord(tx, changed)
  await emit(tx, taskUpdated, { task, before_update: fieldsBefore(before, task) }, context)
  if (jobCount < mostEvents) {
    const jobs = await jobRecords(tx, await listJobsOf(tx, [row.id]))
    await emitAll(
      tx,
      jobCreated,
      jobs.map((job) => ({ job })),
      context,
    )
  }
  return jobCount
}

function rangesIn(
  row: TaskView,
  { size, job_sizes, job_count, video_name }: SplitInput,
): NonNullable<Media['split']> {
  if (job_sizes) {
    const ranges = rangesOf(job_sizes.frames)
    return { segment_size: 0, overlap: 0, jobs: ranges.length, ranges }
  }
  const split = planSplit({ ...row, size, job_count, isVideo: video_name !== undefined })
  return { ...split, ranges: splitRanges(size, split) }
}

const requestedTruth =
  (tx: Tx, { id: task_id }: TaskView, { validation_params: params }: SplitInput) =>
  async (size: number): Promise<ValidationMode> => {
    if (!params) return null
    await addRequestedGroundTruth(tx, { task_id, size }, params)
    return 'gt'
  }

/** Rejects split options of the media that contradict those of the task. */
function assertOneSplit(
  { segment_size, overlap }: TaskView,
  { size, job_sizes, job_count }: SplitInput,
): void {
  if (job_count !== undefined && segment_size > 0)
    throw invalidText('job_count cannot be used with segment_size')
  if (!job_sizes) return
  if (segment_size > 0 || overlap)
    throw invalidText('job_file_mapping cannot be used with segment_size or overlap')
  const listed = job_sizes.frames.reduce((sum, one) => sum + one, 0)
  if (listed !== size)
    throw invalidText(`job_file_mapping lists ${listed} files, but there are ${size} frames`)
}
