import { projectDeleted } from '@reticle/contracts/events/projects'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { emitDeletedTasks } from '../tasks/deleted.ts'
import { lockTasksOfProject } from '../tasks/repo.ts'
import { projectRecord } from './records.ts'
import { deleteProject } from './repo.ts'

/** Deletes a locked project with all that is in it, and says so. */
export async function removeProject(
  tx: Transaction<ProjectsDb>,
  row: ProjectRow,
  cause: Cause,
): Promise<void> {
  await allowLongStatements(tx)
  const tasks = await lockTasksOfProject(tx, row.id)
  await emitDeletedTasks(tx, tasks, cause)
  const project = await projectRecord(tx, row)
  const task_ids = tasks.map((task) => task.id)
  await emit(tx, projectDeleted, { project, task_ids }, cause)
  await deleteProject(tx, row.id)
}
