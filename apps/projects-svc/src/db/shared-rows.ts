import type { Transaction } from 'kysely'
import { laterDate, laterDateOf } from './dates.ts'
import type { ProjectRow, ProjectsDb } from './schema.ts'

/** Statements on rows of projects, tasks and jobs that several folders run. */

type Tx = Transaction<ProjectsDb>

/** Locks the row that is the key of the project's events. The lock order is project, task, job. */
export function lockProject(tx: Tx, id: number): Promise<ProjectRow | undefined> {
  return tx.selectFrom('projects').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Moves the date of a locked project, if there is one, because a child of it changed. */
export async function touchProject(tx: Tx, id: number | null): Promise<void> {
  if (id === null) return
  await tx.updateTable('projects').set({ updated_date: laterDate }).where('id', '=', id).execute()
}

/** Moves the dates of locked tasks, because children of them changed. */
export async function touchTasks(tx: Tx, ids: readonly number[], date?: Date): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ updated_date: date ? laterDateOf(date) : laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/** Moves the dates of all jobs of locked tasks, because data that their exports contain has changed. */
export async function touchJobs(tx: Tx, task_ids: readonly number[], date?: Date): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ updated_date: date ? laterDateOf(date) : laterDate })
    .where((where) => where('task_id', '=', where.fn.any(where.val([...task_ids]))))
    .execute()
}

/** Locks all tasks of a project, in id order, and returns their ids. */
export async function lockTaskIds(tx: Tx, project_id: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('tasks')
    .select('id')
    .where('project_id', '=', project_id)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}
