import { sql, type Transaction } from 'kysely'
import { laterDate, nextRevision } from '../db/dates.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { selectTasks, type TaskView } from '../tasks/repo.ts'

type Tx = Transaction<ProjectsDb>

/** Target of a move: a workspace and the new owner. */
export interface Place {
  /** Null: the personal workspace of the owner. */
  organization_id: number | null
  owner_id: number
}

/** Removes the assignee; a row without an assignee keeps the date of its last assignment. */
const unassigned = {
  assignee_id: null,
  assignee_updated_date: sql<Date | null>`
    case when assignee_id is null then assignee_updated_date else now() end`,
}

/** Moves a locked project without its tasks, which are moved separately. */
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

/** Moves locked tasks and returns them in id order. */
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

/**
 * Removes the assignees of all jobs of locked tasks. The date of every job moves, because its record contains the
 * organization.
 */
export async function unassignJobsOf(tx: Tx, task_ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ ...unassigned, revision: nextRevision, updated_date: laterDate })
    .where((where) => where('task_id', '=', where.fn.any(where.val([...task_ids]))))
    .execute()
}
