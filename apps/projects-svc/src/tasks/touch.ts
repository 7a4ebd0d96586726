import { taskUpdated } from '@reticle/contracts/events/tasks'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { taskRecord } from './records.ts'
import { type TaskView, updateTask } from './repo.ts'

/** Moves the date of a locked task and emits an update, because a child of the task changed. */
export async function touchTask(
  tx: Transaction<ProjectsDb>,
  row: TaskView,
  cause: EventCause,
): Promise<void> {
  const { data_cloud_storage_id } = row
  const after = await updateTask(tx, row.id, {})
  const task = await taskRecord(tx, after)
  const isMoved = after.data_cloud_storage_id !== data_cloud_storage_id
  const before_update = {
    updated_date: row.updated_date.toISOString(),
    ...(isMoved && { data_cloud_storage_id }),
  }
  await emit(tx, taskUpdated, { task, before_update }, cause)
}
