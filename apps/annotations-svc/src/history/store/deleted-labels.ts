import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'

type Db = Kysely<AnnotationsDb>

export interface DeletedLabel {
  id: number
  /** Null when the name is unknown: the label was deleted before names were stored. */
  name: string | null
}

/** Maximum number of rows over all projects. */
const mostNames = 100_000

/** Stores the names of deleted labels, because revisions contain only their ids. */
export async function keepDeletedLabels(
  db: Db,
  labels: readonly { id: number; name: string }[],
): Promise<void> {
  if (labels.length === 0) return
  const [ids, names] = [labels.map(({ id }) => id), labels.map(({ name }) => name)]
  await sql`
    insert into deleted_labels (label_id, name)
    select * from unnest(${ids}::int[], ${names}::text[])
    on conflict (label_id) do nothing`.execute(db)
}

/** Returns the labels of these ids, in the order of the ids. */
export async function findDeletedLabels(db: Db, ids: readonly number[]): Promise<DeletedLabel[]> {
  const { rows } = await sql<DeletedLabel>`
    select given.id, kept.name from unnest(${ids}::int[]) with ordinality as given (id, place)
    left join deleted_labels kept on kept.label_id = given.id order by given.place`.execute(db)
  return rows
}

/**
 * Deletes names of labels that no readable revision contains. The deletion of a label creates a revision of every job
 * with objects of the label, so the earlier revisions with these objects expire at the same time as the name.
 *
 * @param oldest date from which history is kept
 * @param most number of names to keep, the most recently deleted ones
 */
export async function dropDeletedLabels(
  db: Db,
  oldest: Date | 'infinity',
  most = mostNames,
): Promise<void> {
  await sql`
    delete from deleted_labels where deleted_date < ${oldest}::timestamptz or label_id in (
      select label_id from deleted_labels order by deleted_date desc, label_id desc offset ${most})`.execute(
    db,
  )
}

/**
 * Returns the names for a message, or ids where names are unknown.
 *
 * @param count total number of labels; `labels` are the first of them
 */
export function describeDeletedLabels(labels: readonly DeletedLabel[], count: number): string {
  const texts = new Set(labels.map(({ id, name }) => (name === null ? `id ${id}` : `"${name}"`)))
  const named = [...texts].join(', ')
  return count > labels.length ? `${named} and ${count - labels.length} more` : named
}
