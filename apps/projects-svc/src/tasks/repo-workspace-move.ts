import { sql, type Transaction } from 'kysely'
import type { MoveTarget } from '../access/workspace-move.ts'
import { laterDate, nextRevision } from '../db/dates.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { selectTasks, type TaskView } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/** Removes the assignee; a row without an assignee keeps the date of its last assignment. */
export const unassigned = {
  assignee_id: null,
  assignee_updated_date: sql<Date | null>`
    case when assignee_id is null then assignee_updated_date else now() end`,
}

/** Moves locked tasks and returns them in id order. */
export async function moveTaskRows(
  tx: Tx,
  ids: readonly number[],
  { organization_id, owner_id }: MoveTarget,
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
