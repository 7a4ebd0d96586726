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
  const task = await taskRecord(tx, await updateTask(tx, row.id, {}))
  const before_update = { updated_date: row.updated_date.toISOString() }
  await emit(tx, taskUpdated, { task, before_update }, cause)
}
