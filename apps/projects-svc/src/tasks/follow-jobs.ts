import { taskUpdated } from '@reticle/contracts/events/tasks'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore, isEmpty } from '../changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { toTask } from './messages.ts'
import { taskSurroundings } from './records.ts'
import {
  findTask,
  listJobStatuses,
  summarizeJobs,
  type TaskChanges,
  touchTasks,
  updateTask,
} from './repo.ts'
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
  if (!row) throw new Error(`task ${id} of a locked job is gone`)
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
