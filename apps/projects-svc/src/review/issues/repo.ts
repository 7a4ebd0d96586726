import {
  type InferResult,
  type Insertable,
  type Kysely,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import { laterDate } from '../../db/dates.ts'
import type { IssuesTable, ProjectsDb } from '../../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/** Columns of an issue from its job, task and project. */
export const aroundIssue = [
  'jobs.task_id',
  'jobs.assignee_id as job_assignee_id',
  'tasks.owner_id as task_owner_id',
  'tasks.assignee_id as task_assignee_id',
  'tasks.project_id',
  'tasks.organization_id',
  'projects.owner_id as project_owner_id',
  'projects.assignee_id as project_assignee_id',
] as const

const commentsCount = sql<number>`
  (select count(*)::int from comments where comments.issue_id = issues.id)`.as('comments_count')

export function selectIssues(db: Db) {
  return db
    .selectFrom('issues')
    .innerJoin('jobs', 'jobs.id', 'issues.job_id')
    .innerJoin('tasks', 'tasks.id', 'jobs.task_id')
    .leftJoin('projects', 'projects.id', 'tasks.project_id')
    .selectAll('issues')
    .select(aroundIssue)
    .select(commentsCount)
}

/** Row of an issue with the people around it and the number of its comments. */
export type IssueView = InferResult<ReturnType<typeof selectIssues>>[number]

export function findIssue(db: Db, id: number): Promise<IssueView | undefined> {
  return selectIssues(db).where('issues.id', '=', id).executeTakeFirst()
}

/** Lists the first issues of tasks, in id order. */
export function listIssuesOf(
  db: Db,
  task_ids: readonly number[],
  most: number,
): Promise<IssueView[]> {
  return selectIssues(db)
    .where((where) => where('jobs.task_id', '=', where.fn.any(where.val([...task_ids]))))
    .orderBy('issues.id')
    .limit(most)
    .execute()
}

/** Locks the task, which is the key of events of its issues and comments, then the issue. */
export async function lockIssue(tx: Tx, id: number): Promise<IssueView | undefined> {
  await tx
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', (of) =>
      of
        .selectFrom('issues')
        .innerJoin('jobs', 'jobs.id', 'issues.job_id')
        .select('jobs.task_id')
        .where('issues.id', '=', id),
    )
    .forUpdate()
    .execute()
  return selectIssues(tx).where('issues.id', '=', id).forUpdate('issues').executeTakeFirst()
}

export async function insertIssue(tx: Tx, row: Insertable<IssuesTable>): Promise<number> {
  const { id } = await tx.insertInto('issues').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Updates a locked row and its `updated_date`. */
export async function updateIssue(
  tx: Tx,
  id: number,
  changes: Updateable<IssuesTable>,
): Promise<IssueView> {
  await tx
    .updateTable('issues')
    .set({ ...changes, updated_date: laterDate })
    .where('id', '=', id)
    .execute()
  return selectIssues(tx).where('issues.id', '=', id).executeTakeFirstOrThrow()
}

/** Moves the date of a locked issue. */
export async function touchIssue(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('issues').set({ updated_date: laterDate }).where('id', '=', id).execute()
}

/** Lists ids of the issues of an organization that are assigned to a user. */
export async function listIssuesAssigned(
  db: Db,
  { organization_id, user_id }: { organization_id: number; user_id: number },
): Promise<number[]> {
  const rows = await selectIssues(db)
    .clearSelect()
    .select('issues.id')
    .where('tasks.organization_id', '=', organization_id)
    .where('issues.assignee_id', '=', user_id)
    .orderBy('issues.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes an issue with its comments. */
export async function deleteIssue(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('issues').where('id', '=', id).execute()
}
