import type { Cause } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { touchProject } from '../projects/repo.ts'
import { emitDeletedTask } from './deleted.ts'
import { deleteTask, type TaskView } from './repo.ts'

/** Deletes a task that is locked, with its project, and says so. */
export async function removeTask(
  tx: Transaction<ProjectsDb>,
  row: TaskView,
  cause: Cause,
): Promise<void> {
  await allowLongStatements(tx)
  await emitDeletedTask(tx, row, cause)
  await deleteTask(tx, row.id)
  await touchProject(tx, row.project_id)
}
