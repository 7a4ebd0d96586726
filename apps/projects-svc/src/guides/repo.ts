import {
  type InferResult,
  type Insertable,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import { type Owner, ownerColumns } from '../access/owner.ts'
import { laterDate } from '../db/dates.ts'
import type { GuideRow, GuidesTable, ProjectsDb } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/** Selects guides with the people of their targets; `has_job` is computed for this user. */
export function guidesWithPeople(db: Db, user_id: number) {
  return (
    db
      .selectFrom('guides')
      .leftJoin('tasks', 'tasks.id', 'guides.task_id')
      .leftJoin('projects', (join) =>
        join.on(sql<SqlBool>`projects.id = coalesce(guides.project_id, tasks.project_id)`),
      )
      .leftJoin('drafts', (join) =>
        join.on(sql<SqlBool>`drafts.draft_id = coalesce(projects.draft_id, tasks.draft_id)`),
      )
      .select([
        'tasks.assignee_id as task_assignee_id',
        'projects.assignee_id as project_assignee_id',
      ])
      // A target of a draft belongs to the user who restores it.
      .select(({ fn: { coalesce } }) => [
        coalesce('tasks.owner_id', 'drafts.owner_id').as('task_owner_id'),
        coalesce('projects.owner_id', 'drafts.owner_id').as('project_owner_id'),
        coalesce('tasks.organization_id', 'projects.organization_id', 'drafts.organization_id').as(
          'organization_id',
        ),
      ])
      .select(
        sql<boolean>`exists (
        select from jobs join tasks task on task.id = jobs.task_id
        where jobs.assignee_id = ${user_id}
          and (task.id = guides.task_id or task.project_id = guides.project_id))`.as('has_job'),
      )
  )
}

const selectGuides = (db: Db, user_id: number) => guidesWithPeople(db, user_id).selectAll('guides')

export type GuideView = InferResult<ReturnType<typeof selectGuides>>[number]

export function findGuide(db: Db, id: number, user_id: number): Promise<GuideView | undefined> {
  return selectGuides(db, user_id).where('guides.id', '=', id).executeTakeFirst()
}

/** Returns whether the project or task has a guide. */
export async function hasGuide(db: Db, { kind, id }: Owner): Promise<boolean> {
  const found = await db
    .selectFrom('guides')
    .select('id')
    .where(kind === 'project' ? 'project_id' : 'task_id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

/** Inserts the guide of a locked project or task. */
export function insertGuide(
  tx: Tx,
  target: Owner,
  row: Pick<Insertable<GuidesTable>, 'markdown'>,
): Promise<GuideRow> {
  return tx
    .insertInto('guides')
    .values({ ...row, ...ownerColumns(target) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes a guide of a locked target and its `updated_date`. */
export function updateGuide(tx: Tx, id: number, markdown: string): Promise<GuideRow> {
  return tx
    .updateTable('guides')
    .set({ markdown, updated_date: laterDate })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteGuide(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('guides').where('id', '=', id).execute()
}
