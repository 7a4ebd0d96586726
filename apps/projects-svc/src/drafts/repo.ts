import type { Label } from '@reticle/contracts/rest/labels'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { laterDate } from '../db/dates.ts'
import type { DraftsTable, ProjectsDb } from '../db/schema.ts'
import { selectTasks, type TaskView } from '../tasks/repo.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>
export type DraftRow = Selectable<DraftsTable>

export async function insertDraft(
  tx: Tx,
  { labels, ...row }: Omit<DraftRow, 'labels' | 'created_date'> & { labels: readonly Label[] },
): Promise<void> {
  await tx
    .insertInto('drafts')
    .values({ ...row, labels: JSON.stringify(labels) })
    .execute()
}

export function findDraft(db: Db, draft_id: string): Promise<DraftRow | undefined> {
  return db.selectFrom('drafts').selectAll().where('draft_id', '=', draft_id).executeTakeFirst()
}

/** Only whoever has it locked may add to it, publish or drop it. */
export function lockDraft(tx: Tx, draft_id: string): Promise<DraftRow | undefined> {
  return tx
    .selectFrom('drafts')
    .selectAll()
    .where('draft_id', '=', draft_id)
    .forUpdate()
    .executeTakeFirst()
}

/** In id order. */
export function lockTasksOfDraft(tx: Tx, draft_id: string): Promise<TaskView[]> {
  return selectTasks(tx)
    .where('tasks.draft_id', '=', draft_id)
    .orderBy('tasks.id')
    .forUpdate('tasks')
    .execute()
}

/** Locked tasks of a draft come into their project; they are answered in id order. */
export async function showTasks(
  tx: Tx,
  ids: readonly number[],
  place: { project_id: number; organization_id: number | null; owner_id: number },
): Promise<TaskView[]> {
  const wanted = [...ids]
  const now = sql<Date>`now()`
  await tx
    .updateTable('tasks')
    .set({ ...place, draft_id: null, created_date: now, updated_date: laterDate })
    .where((where) => where('id', '=', where.fn.any(where.val(wanted))))
    .execute()
  return selectTasks(tx)
    .where((where) => where('tasks.id', '=', where.fn.any(where.val(wanted))))
    .orderBy('tasks.id')
    .execute()
}

export async function deleteDraft(tx: Tx, draft_id: string): Promise<void> {
  await tx.deleteFrom('drafts').where('draft_id', '=', draft_id).execute()
}

/** Jobs and frames go with them. */
export async function deleteTasksOfDraft(tx: Tx, draft_id: string): Promise<void> {
  await tx.deleteFrom('tasks').where('draft_id', '=', draft_id).execute()
}

/** Drafts that nobody works on any more. */
export async function listDraftsBefore(db: Db, date: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('drafts')
    .select('draft_id')
    .where('created_date', '<', date)
    .execute()
  return rows.map(({ draft_id }) => draft_id)
}

/** Numbers for rows that are going to be; nobody else gets them. */
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

/** Labels and attributes under the numbers that were reserved for them. */
export async function insertReserved(
  tx: Tx,
  project_id: number,
  labels: readonly Pick<Label, 'id' | 'name' | 'color' | 'type'>[],
  attributes: readonly (Label['attributes'][number] & { label_id: number })[],
): Promise<void> {
  await sql`
    insert into labels (id, project_id, name, color, type) overriding system value
    select id, ${project_id}::int, name, color, type
    from json_to_recordset(${JSON.stringify(labels)}::json)
      as one (id int, name text, color text, type text)`.execute(tx)
  await sql`
    insert into attributes (id, label_id, name, mutable, input_type, default_value, "values")
      overriding system value
    select * from json_to_recordset(${JSON.stringify(attributes)}::json)
      as one (id int, label_id int, name text, mutable boolean, input_type text,
        default_value text, "values" text[])`.execute(tx)
}
