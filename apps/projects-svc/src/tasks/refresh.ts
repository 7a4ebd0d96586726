import { taskUpdated } from '@reticle/contracts/events/tasks'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { taskRecord } from './records.ts'
import { findTask, listJobStatuses, updateTask } from './repo.ts'
import { taskStatus } from './status.ts'

/**
 * After a job of a locked task has changed: the task's date moves, because its record counts jobs; only another derived
 * status is an `update:task` event (`spec/api-annotations.md` 4.3).
 */
export async function refreshTask(
  tx: Transaction<ProjectsDb>,
  id: number,
  cause: Cause,
): Promise<void> {
  const row = await findTask(tx, id)
  if (!row) throw new Error(`task ${id} of a locked job is gone`)
  const status = taskStatus(await listJobStatuses(tx, id))
  if (status === row.status) {
    await updateTask(tx, id, {})
    return
  }
  const before = await taskRecord(tx, row)
  const task = await taskRecord(tx, await updateTask(tx, id, { status }))
  await emit(tx, taskUpdated, { task, before_update: fieldsBefore(before, task) }, cause)
}
