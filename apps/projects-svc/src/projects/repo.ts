import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { MoveTarget } from '../access/workspace-move.ts'
import { laterDate, nextRevision } from '../db/dates.ts'
import type { ProjectRow, ProjectsDb, ProjectsTable } from '../db/schema.ts'
import { unassigned } from '../tasks/repo-workspace-move.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export type ProjectChanges = Updateable<ProjectsTable>

export function findProject(db: Db, id: number): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks these projects, in id order. */
export function lockProjects(tx: Tx, ids: readonly number[]): Promise<ProjectRow[]> {
  return tx
    .selectFrom('projects')
    .selectAll()
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .orderBy('id')
    .forUpdate()
    .execute()
}

export function insertProject(tx: Tx, row: Insertable<ProjectsTable>): Promise<ProjectRow> {
  return tx.insertInto('projects').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Updates a locked row with its `updated_date` and `revision`. */
export function updateProject(tx: Tx, id: number, changes: ProjectChanges): Promise<ProjectRow> {
  return tx
    .updateTable('projects')
    .set({ ...changes, revision: nextRevision, updated_date: laterDate })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Deletes a project with its tasks, jobs, labels, storages and frames. */
export async function deleteProject(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('projects').where('id', '=', id).execute()
}

/** Moves the dates and revisions of locked projects. */
export async function moveProjectRevisions(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ revision: nextRevision, updated_date: laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val([...ids]))))
    .execute()
}

/** Moves `updated_date` to the date of a changed child; a later date of the project stays. */
export async function followChild(tx: Tx, id: number, date: Date | string): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ updated_date: new Date(date) })
    .where('id', '=', id)
    .where('updated_date', '<', new Date(date))
    .execute()
}

export interface ProjectSummary {
  id: number
  guide_id: number | null
  count: number
  subsets: string[] | null
  dimension: '2d' | '3d' | null
}

/** Reads task counts, subsets, dimensions and guide ids of projects, with one query. */
export async function summarizeProjects(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, ProjectSummary>> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('guides', 'guides.project_id', 'projects.id')
    .leftJoin('tasks', 'tasks.project_id', 'projects.id')
    .select((of) => [
      'projects.id',
      'guides.id as guide_id',
      sql<number>`count(tasks.id)::int`.as('count'),
      sql<string[] | null>`
        array_agg(distinct subset order by subset) filter (where subset <> '')`.as('subsets'),
      of.fn.max('tasks.dimension').as('dimension'),
    ])
    .where((where) => where('projects.id', '=', where.fn.any(where.val([...ids]))))
    .groupBy(['projects.id', 'guides.id'])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks all projects of an organization, in id order. */
export function lockProjectsOfOrganization(tx: Tx, organization_id: number): Promise<ProjectRow[]> {
  return tx
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Removes locked projects from their organization and returns them in id order. */
export async function releaseProjects(tx: Tx, organization_id: number): Promise<ProjectRow[]> {
  const rows = await tx
    .updateTable('projects')
    .set({ organization_id: null, revision: nextRevision, updated_date: laterDate })
    .where('organization_id', '=', organization_id)
    .returningAll()
    .execute()
  return rows.sort((one, other) => one.id - other.id)
}

/** Lists ids of the projects of an organization that are assigned to a user. */
export async function listProjectsAssigned(
  db: Db,
  { organization_id, user_id }: { organization_id: number; user_id: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('assignee_id', '=', user_id)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Moves a locked project without its tasks, which are moved separately. */
export function moveProjectRow(
  tx: Tx,
  id: number,
  { organization_id, owner_id }: MoveTarget,
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
