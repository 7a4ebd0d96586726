import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { sql, type Transaction } from 'kysely'
import type { RequestIds } from '../db/ids.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { tableColumns } from '../history/store/keep.ts'
import type { ReadableRevision } from '../history/store/revisions.ts'
import { rowsAt } from '../history/store/state.ts'
import type { AnnotationTarget } from '../targets/target.ts'

/** Copies the rows of a revision into another generation, in the order in which they are read. */
export async function copyRows(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  readable: ReadableRevision,
  generation: number,
): Promise<number> {
  const names = tableColumns[kind].map((name) => sql.ref(name))
  const values = tableColumns[kind].map((name) =>
    name === 'generation' ? sql`${generation}::bigint` : sql.ref(name),
  )
  const { numAffectedRows } = await sql`
    insert into ${sql.table(arrayOf[kind])} (${sql.join(names)})
    select ${sql.join(values)} from (${rowsAt(kind, readable)}) as one
    order by ${sql.ref(kind === 'track' ? 'start_frame' : 'frame')}, id`.execute(tx)
  return Number(numAffectedRows)
}

/**
 * Assigns new ids to objects whose ids are now used in another job of the task. This happens only after an update of
 * the task moved objects between jobs.
 */
export async function renumberMoved(
  tx: Transaction<AnnotationsDb>,
  { task_id, id: job_id }: AnnotationTarget,
  generation: number,
  ids: RequestIds,
): Promise<void> {
  const { rows: moves } = await sql`
    select from revisions where task_id = ${task_id}
      and action = 'update' and created_ids is not null limit 1`.execute(tx)
  if (moves.length === 0) return
  // Two concurrent restores of a task would not see each other's objects.
  await sql`select pg_advisory_xact_lock(hashtext('annotations.restore'), ${task_id})`.execute(tx)
  for (const table of Object.values(arrayOf)) {
    const own = sql`own.task_id = ${task_id} and own.job_id = ${job_id}
      and own.generation = ${generation}`
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(table)} as own where ${own} and exists (
        select from ${sql.table(table)} as other join jobs using (job_id, generation)
        where other.task_id = ${task_id} and other.id = own.id and other.job_id <> ${job_id})`.execute(
      tx,
    )
    await ids.reserve(rows.length)
    await sql`update ${sql.table(table)} as own set id = given.new_id
      from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map(ids.next)}::bigint[])
        as given (id, new_id)
      where ${own} and own.id = given.id`.execute(tx)
  }
}

/** Returns the ids of labels that objects of a revision have and that are not among `known`, in ascending order. */
export async function findUnknownLabels(
  tx: Transaction<AnnotationsDb>,
  readable: ReadableRevision,
  known: readonly number[],
): Promise<number[]> {
  const used = rowKinds.map((kind) => sql`select label_id from (${rowsAt(kind, readable)}) as one`)
  const { rows } = await sql<{ label_id: number }>`
    select distinct label_id from (${sql.join(used, sql` union all `)}) as one
    where label_id <> all(${known}::int[]) order by label_id`.execute(tx)
  return rows.map((row) => row.label_id)
}
