import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

type Db = Kysely<AnnotationsDb>

export interface DeletedLabel {
  id: number
  /** Null where it is not known: the label was deleted before its name was kept. */
  name: string | null
}

/** Rows that are kept at most, of all projects together. */
const mostKept = 100_000

/** Keeps the names of labels: revisions have their ids only. */
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

/** The labels of some ids, in the order of the ids. */
export async function findDeletedLabels(db: Db, ids: readonly number[]): Promise<DeletedLabel[]> {
  const { rows } = await sql<DeletedLabel>`
    select given.id, kept.name from unnest(${ids}::int[]) with ordinality as given (id, place)
    left join deleted_labels kept on kept.label_id = given.id order by given.place`.execute(db)
  return rows
}

/**
 * Drops the names of labels that no readable revision can have. The deletion of a label makes a revision of every job that had
 * objects of it, so they expire together.
 *
 * @param oldest the date that history is kept from
 */
export async function dropDeletedLabels(
  db: Db,
  oldest: Date | 'infinity',
  most = mostKept,
): Promise<void> {
  await sql`
    delete from deleted_labels where deleted_date < ${oldest}::timestamptz or label_id in (
      select label_id from deleted_labels order by deleted_date desc, label_id desc offset ${most})`.execute(
    db,
  )
}

/**
 * Names for a message, or the ids of labels whose names are not known.
 *
 * @param count of all labels; `labels` are the first of them
 */
export function describeDeletedLabels(labels: readonly DeletedLabel[], count: number): string {
  const texts = new Set(labels.map(({ id, name }) => (name === null ? `id ${id}` : `"${name}"`)))
  const named = [...texts].join(', ')
  return count > labels.length ? `${named} and ${count - labels.length} more` : named
}
