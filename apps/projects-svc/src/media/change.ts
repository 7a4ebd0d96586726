import type { media } from '@reticle/contracts/api/media'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalid, invalidText, notFound } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { jobRules } from '../access/job-policy.ts'
import { allowPatch } from '../access/patch-rights.ts'
import { jobStanding, taskStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { touchJobs, touchProject } from '../db/shared-rows.ts'
import { changeDisabledFrames } from '../ground-truth/layout.ts'
import { listValidationFrames } from '../ground-truth/repo.ts'
import { findJob, type JobView, lockJob, updateJobs } from '../jobs/repo.ts'
import { emitJobChange } from '../jobs/touch.ts'
import { lockCloudStorage } from '../storages/cloud/repo.ts'
import { noDataText } from '../tasks/messages.ts'
import { lockTaskAndProject, type TaskView } from '../tasks/repo.ts'
import { touchTask } from '../tasks/touch.ts'
import { isSameList, type OwnFrames, replaceDeleted, replaceDisabled } from './deleted.ts'
import { findDataSet, setDeletedFrames, setSource } from './repo.ts'
import { permittedSource } from './source.ts'

type Tx = Transaction<ProjectsDb>

/** Action behind each key of a PATCH. */
const rights = { deleted_frames: 'update:meta', cloud_storage_id: 'update:meta' } as const

/**
 * Replaces the deleted frames of a task, and the cloud storage of its media. A change without effect emits no event.
 *
 * @throws DomainError not_found, forbidden, invalid, precondition
 */
export async function changeTaskMeta(
  tx: Tx,
  principal: Principal,
  { id, body, if_match }: OperationInput<typeof media.updateTaskDataMeta>,
  cause: EventCause,
): Promise<void> {
  const task = await lockTaskAndProject(tx, id)
  if (!task) throw notFound()
  allowPatch(taskRules, rights, body, principal, taskStanding(principal, task))
  const has = (frame: number) => frame >= 0 && frame < task.size
  const frames = await planDeleted(tx, id, body.deleted_frames, { target: 'task', has })
  const source = await planSource(tx, principal, id, body.cloud_storage_id)
  assertMatches(if_match, task)
  if (source !== undefined) await setSource(tx, id, source)
  if (frames) await setDeletedFrames(tx, id, frames)
  if (frames || source !== undefined) await touchMedia(tx, task, cause)
}

/** Returns a new cloud storage of the media; undefined when it does not change. */
async function planSource(
  tx: Tx,
  principal: Principal,
  task_id: number,
  wanted: number | null | undefined,
): Promise<number | undefined> {
  const dataSet = await findDataSet(tx, task_id)
  if (!dataSet || wanted === undefined || wanted === dataSet.cloud_storage_id) return undefined
  if (dataSet.storage !== 'cloud_storage')
    throw invalid({ cloud_storage_id: 'The media of this task is in no cloud storage.' })
  if (wanted === null) throw invalid({ cloud_storage_id: 'This field may not be null.' })
  await lockCloudStorage(tx, wanted)
  await permittedSource(tx, principal, { cloud_storage_id: wanted, task_id })
  return wanted
}

/**
 * Replaces the deleted frames of the task within the range of a job, and emits an event of the job as well. Frames of
 * a ground-truth job are disabled in the validation layout instead, and the task keeps them.
 *
 * @throws DomainError not_found, forbidden, invalid, precondition
 */
export async function changeJobMeta(
  tx: Tx,
  principal: Principal,
  input: OperationInput<typeof media.updateJobDataMeta>,
  cause: EventCause,
): Promise<void> {
  const { id, body } = input
  const { task, job } = await lockWithTask(tx, id)
  allowPatch(jobRules, rights, body, principal, jobStanding(principal, job))
  if (job.type === 'ground_truth') return changeGroundTruthMeta(tx, { task, job }, input, cause)
  const { start_frame, stop_frame } = job
  const has = (frame: number) => frame >= start_frame && frame <= stop_frame
  const frames = await planDeleted(tx, task.id, body.deleted_frames, { target: 'job', has })
  assertMatches(input.if_match, job)
  if (!frames) return
  const remove = async () => {
    await setDeletedFrames(tx, task.id, frames)
    await touchMedia(tx, task, cause)
    await updateJobs(tx, [id], {})
  }
  await emitJobChange(tx, id, remove, cause)
}

interface Locked {
  task: TaskView
  job: JobView
}

async function changeGroundTruthMeta(
  tx: Tx,
  { task, job }: Locked,
  { body, if_match }: OperationInput<typeof media.updateJobDataMeta>,
  cause: EventCause,
): Promise<void> {
  const dataSet = await findDataSet(tx, task.id)
  if (!dataSet) throw invalidText(noDataText)
  const rows = await listValidationFrames(tx, task.id)
  const chosen = new Set(rows.map(({ frame }) => frame))
  const own = { target: 'job' as const, has: (frame: number) => chosen.has(frame) }
  const disabled = rows.filter(({ is_disabled }) => is_disabled).map(({ frame }) => frame)
  const frames = replaceDisabled(disabled, body.deleted_frames ?? disabled, {
    ...own,
    deleted: dataSet.deleted_frames,
  })
  assertMatches(if_match, job)
  await changeDisabledFrames(tx, task, frames, cause)
}

/** Locks project, task and job in this order, as everywhere. */
async function lockWithTask(tx: Tx, id: number): Promise<Locked> {
  const found = await findJob(tx, id)
  const task = found && (await lockTaskAndProject(tx, found.task_id))
  const job = task && (await lockJob(tx, id))
  if (!job) throw notFound()
  return { task, job }
}

/** Returns all deleted frames of the task after the change; undefined when they do not change. */
async function planDeleted(
  tx: Tx,
  task_id: number,
  wanted: readonly number[] | undefined,
  own: OwnFrames,
): Promise<number[] | undefined> {
  const dataSet = await findDataSet(tx, task_id)
  if (!dataSet) throw invalidText(noDataText)
  if (!wanted) return undefined
  const frames = replaceDeleted(dataSet.deleted_frames, wanted, own)
  return isSameList(dataSet.deleted_frames, frames) ? undefined : frames
}

/** Moves the dates of all jobs, because their exports depend on the media. */
async function touchMedia(tx: Tx, task: TaskView, cause: EventCause): Promise<void> {
  await touchJobs(tx, [task.id])
  await touchTask(tx, task, cause)
  await touchProject(tx, task.project_id)
}
