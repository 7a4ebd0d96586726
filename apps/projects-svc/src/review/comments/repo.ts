import type { InferResult, Insertable, Kysely, Transaction } from 'kysely'
import { laterDate } from '../../db/dates.ts'
import type { CommentsTable, ProjectsDb } from '../../db/schema.ts'
import { aroundIssue } from '../issues/repo.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export function selectComments(db: Db) {
  return db
    .selectFrom('comments')
    .innerJoin('issues', 'issues.id', 'comments.issue_id')
    .innerJoin('jobs', 'jobs.id', 'issues.job_id')
    .innerJoin('tasks', 'tasks.id', 'jobs.task_id')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .selectAll('comments')
    .select([
      'issues.job_id',
      'issues.owner_id as issue_owner_id',
      'issues.assignee_id as issue_assignee_id',
    ])
    .select(aroundIssue)
}

/** Row of a comment with the people of its issue. */
export type CommentView = InferResult<ReturnType<typeof selectComments>>[number]

export function findComment(db: Db, id: number): Promise<CommentView | undefined> {
  return selectComments(db).where('comments.id', '=', id).executeTakeFirst()
}

/** Lists the first comments of tasks, in id order. */
export function listCommentsOf(
  db: Db,
  task_ids: readonly number[],
  most: number,
): Promise<CommentView[]> {
  return selectComments(db)
    .where((where) => where('jobs.task_id', '=', where.fn.any(where.val([...task_ids]))))
    .orderBy('comments.id')
    .limit(most)
    .execute()
}

/** Inserts a comment of a locked issue. */
export async function insertComment(tx: Tx, row: Insertable<CommentsTable>): Promise<CommentView> {
  const { id } = await tx
    .insertInto('comments')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow()
  return selectComments(tx).where('comments.id', '=', id).executeTakeFirstOrThrow()
}

/** Changes a comment of a locked issue and its `updated_date`. */
export async function updateComment(tx: Tx, id: number, message: string): Promise<CommentView> {
  await tx
    .updateTable('comments')
    .set({ message, updated_date: laterDate })
    .where('id', '=', id)
    .execute()
  return selectComments(tx).where('comments.id', '=', id).executeTakeFirstOrThrow()
}

export async function deleteComment(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('comments').where('id', '=', id).execute()
}
