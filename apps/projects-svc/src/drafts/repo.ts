import type { Label } from '@reticle/contracts/rest/labels'
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { laterDate } from '../db/dates.ts'
import type { DraftRow, DraftsTable, ProjectRow, ProjectsDb } from '../db/schema.ts'
import { selectTasks, type TaskView } from '../tasks/repo.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export async function insertDraft(tx: Tx, row: Insertable<DraftsTable>): Promise<void> {
  await tx.insertInto('drafts').values(row).execute()
}

/** Sets the project that the tasks of a draft will belong to. */
export async function setDraftProject(tx: Tx, draft_id: string, project_id: number): Promise<void> {
  await tx.updateTable('drafts').set({ project_id }).where('draft_id', '=', draft_id).execute()
}

export function findDraft(db: Db, draft_id: string): Promise<DraftRow | undefined> {
  return db.selectFrom('drafts').selectAll().where('draft_id', '=', draft_id).executeTakeFirst()
}

/** Locks a draft. Adding to it, publishing and dropping it require the lock. */
export function lockDraft(tx: Tx, draft_id: string): Promise<DraftRow | undefined> {
  return tx
    .selectFrom('drafts')
    .selectAll()
    .where('draft_id', '=', draft_id)
    .forUpdate()
    .executeTakeFirst()
}

/** Locks the tasks of a draft, in id order. */
export function lockTasksOfDraft(tx: Tx, draft_id: string): Promise<TaskView[]> {
  return selectTasks(tx)
    .where('tasks.draft_id', '=', draft_id)
    .orderBy('tasks.id')
    .forUpdate('tasks')
    .execute()
}

/** Published rows get the time of publication as their creation date. */
const published = { draft_id: null, created_date: sql<Date>`now()`, updated_date: laterDate }

/** Moves a locked project of a draft into its workspace. */
export function publishProjectRow(
  tx: Tx,
  id: number,
  { owner_id, organization_id }: Pick<DraftRow, 'owner_id' | 'organization_id'>,
): Promise<ProjectRow> {
  return tx
    .updateTable('projects')
    .set({ ...published, owner_id, organization_id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Moves locked tasks of a draft, with their jobs, into project and workspace. Returns them in id order. */
export async function publishTaskRows(
  tx: Tx,
  ids: readonly number[],
  place: Pick<DraftRow, 'project_id' | 'organization_id' | 'owner_id'>,
): Promise<TaskView[]> {
  const wantedIds = [...ids]
  await tx
    .updateTable('tasks')
    .set({ ...place, ...published })
    .where((where) => where('id', '=', where.fn.any(where.val(wantedIds))))
    .execute()
  await sql`
    with dated_jobs as (
      update jobs set created_date = now(), updated_date = now()
      where task_id = any(${wantedIds}::int[]) returning id
    ), dated_issues as (
      update issues set created_date = now(), updated_date = now()
      where job_id in (select id from dated_jobs) returning id
    )
    update comments set created_date = now(), updated_date = now()
    where issue_id in (select id from dated_issues)`.execute(tx)
  return selectTasks(tx)
    .where((where) => where('tasks.id', '=', where.fn.any(where.val(wantedIds))))
    .orderBy('tasks.id')
    .execute()
}

export async function deleteDraft(tx: Tx, draft_id: string): Promise<void> {
  await tx.deleteFrom('drafts').where('draft_id', '=', draft_id).execute()
}

/**
 * Deletes the tasks of a draft and the project created for them; jobs, frames, labels and guides are deleted with
 * these.
 */
export async function deleteDraftContents(tx: Tx, draft_id: string): Promise<void> {
  await tx.deleteFrom('tasks').where('draft_id', '=', draft_id).execute()
  await tx.deleteFrom('projects').where('draft_id', '=', draft_id).execute()
}

/** Lists drafts created before `date`. Their requests have ended. */
export async function listDraftsBefore(db: Db, date: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('drafts')
    .select('draft_id')
    .where('created_date', '<', date)
    .execute()
  return rows.map(({ draft_id }) => draft_id)
}

/** Reserves ids for future rows. */
export async function reserveIds(
  db: Db,
  table: 'labels' | 'attributes',
  count: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id'))::int as id
    from generate_series(1, ${count}::int)`.execute(db)
  return rows.map(({ id }) => id)
}

export interface ReservedRows {
  /** Labels come before their sublabels. */
  labels: readonly Pick<Label, 'id' | 'parent_id' | 'name' | 'color' | 'type'>[]
  attributes: readonly (Label['attributes'][number] & { label_id: number })[]
}

/** Inserts labels and attributes under their reserved ids, without skeleton drawings. */
export async function insertReserved(
  tx: Tx,
  project_id: number,
  { labels, attributes }: ReservedRows,
): Promise<void> {
  await sql`
    insert into labels (id, project_id, parent_id, name, color, type) overriding system value
    select id, ${project_id}::int, parent_id, name, color, type
    from json_to_recordset(${JSON.stringify(labels)}::json)
      as one (id int, parent_id int, name text, color text, type text)`.execute(tx)
  await sql`
    insert into attributes (id, label_id, name, mutable, input_type, default_value, "values")
      overriding system value
    select * from json_to_recordset(${JSON.stringify(attributes)}::json)
      as one (id int, label_id int, name text, mutable boolean, input_type text,
        default_value text, "values" text[])`.execute(tx)
}
