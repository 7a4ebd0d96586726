import { jobDeleted, jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore, isEmpty } from '../bodies/changes.ts'
import type { JobRow, ProjectsDb } from '../db/schema.ts'
import { touchTasks } from '../db/shared-rows.ts'
import { jobRecord } from '../jobs/records.ts'
import { deleteJob, findJob, type JobView, updateJobs } from '../jobs/repo.ts'
import { toTask } from './messages.ts'
import { taskSurroundings } from './records.ts'
import { findTask, listJobStatuses, summarizeJobs, type TaskChanges, updateTask } from './repo.ts'
import { taskStatus } from './status.ts'

/**
 * Changes jobs of a locked task and updates the task: its date moves, but its `revision` does not, because its record
 * only counts jobs. A new derived status or changed `columns` emit an `update:task` event.
 *
 * @param columns further changes of the task
 */
export async function withTaskFollowing<R>(
  tx: Transaction<ProjectsDb>,
  id: number,
  changeJobs: () => Promise<R>,
  cause: EventCause,
  columns: Pick<TaskChanges, 'validation_mode'> = {},
): Promise<R> {
  const row = await findTask(tx, id)
  if (!row) throw new Error(`task ${id} of a locked job does not exist`)
  const jobs = await summarizeJobs(tx, [id])
  const answer = await changeJobs()
  const status = taskStatus(await listJobStatuses(tx, id))
  if (status === row.status && isEmpty(columns)) await touchTasks(tx, [id])
  else {
    const changed = await updateTask(tx, id, { ...columns, status, revision: row.revision })
    const around = await taskSurroundings(tx, [changed])
    const task = toTask(changed, around)
    const before_update = fieldsBefore(toTask(row, { ...around, jobs }), task)
    await emit(tx, taskUpdated, { task, before_update }, cause)
  }
  return answer
}

/** Changes a locked job and the status of its task. */
export function changeJob(
  tx: Transaction<ProjectsDb>,
  row: JobView,
  changes: Partial<JobRow>,
  cause: EventCause,
) {
  const change = async () => {
    const before = await jobRecord(tx, row)
    await updateJobs(tx, [row.id], changes)
    const changed = (await findJob(tx, row.id)) ?? row
    const record = await jobRecord(tx, changed)
    const before_update = fieldsBefore(before, record)
    await emit(tx, jobUpdated, { job: record, before_update }, cause)
    return { row: changed, record }
  }
  return withTaskFollowing(tx, row.task_id, change, cause)
}

/** Deletes a locked ground-truth job and updates its task. */
export async function removeGroundTruth(
  tx: Transaction<ProjectsDb>,
  row: JobView,
  cause: EventCause,
): Promise<void> {
  await emit(tx, jobDeleted, { job: await jobRecord(tx, row) }, cause)
  const without = { validation_mode: null }
  await withTaskFollowing(tx, row.task_id, () => deleteJob(tx, row.id), cause, without)
}
