import { sql, type Transaction } from 'kysely'
import { laterDate, nextRevision } from '../db/dates.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { selectTasks, type TaskView } from '../tasks/repo.ts'

type Tx = Transaction<ProjectsDb>

/** Where something goes: a workspace, and who owns it there. */
export interface Place {
  /** Null: the workspace of the owner alone. */
  organization_id: number | null
  owner_id: number
}

/** Whoever was assigned is not any more; what nobody was assigned to keeps the date of the last change. */
const unassigned = {
  assignee_id: null,
  assignee_updated_date: sql<Date | null>`
    case when assignee_id is null then assignee_updated_date else now() end`,
}

/** Of a locked project alone; its tasks are moved beside it. */
export function moveProjectRow(
  tx: Tx,
  id: number,
  { organization_id, owner_id }: Place,
): Promise<ProjectRow> {
  return tx
    .updateTable('projects')
    .set({
      organization_id,
      owner_id,
      ...unassigned,
      revision: nextRevision,
      updated_date: laterDate,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Of locked tasks; they are answered in id order. */
export async function moveTaskRows(
  tx: Tx,
  ids: readonly number[],
  { organization_id, owner_id }: Place,
): Promise<TaskView[]> {
  const wanted = [...ids]
  await tx
    .updateTable('tasks')
    .set({
      organization_id,
      owner_id,
      ...unassigned,
      revision: nextRevision,
      updated_date: laterDate,
    })
    .where((where) => where('id', '=', where.fn.any(where.val(wanted))))
    .execute()
  return selectTasks(tx)
    .where((where) => where('tasks.id', '=', where.fn.any(where.val(wanted))))
    .orderBy('tasks.id')
    .execute()
}

/** Of all jobs of locked tasks. Their records say where they are, so that the date of every one of them moves. */
export async function unassignJobsOf(tx: Tx, task_ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ ...unassigned, revision: nextRevision, updated_date: laterDate })
    .where((where) => where('task_id', '=', where.fn.any(where.val([...task_ids]))))
    .execute()
}
