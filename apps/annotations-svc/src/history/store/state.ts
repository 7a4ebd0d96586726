import { type AnnotationRow, arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import { type CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import type { AnnotationQuery } from '../../queries/annotation-query.ts'
import { conditionsOn } from '../../queries/store/conditions.ts'
import { keepTracks } from '../../queries/tracks.ts'
import { lineRows } from '../../reading/lines.ts'
import { lineOf } from '../../reading/store/select.ts'
import type { AnnotationTarget } from '../../targets/target.ts'
import { columnsOf, replacedTable } from './keep.ts'
import type { ReadableRevision } from './revisions.ts'

/**
 * Selects the rows that a job had at a revision, with the columns of their table. They are the rows of that
 * generation, with later changes undone: for a changed or deleted row the earliest replaced version is used, and
 * later created rows are left out. For a row that left the job and came back, the first change decides. Sets of ids
 * are multiranges, which are searched, so no plan compares every id with every other.
 */
export function rowsAt(kind: RowKind, readable: ReadableRevision): RawBuilder<unknown> {
  const { task_id, job_id, generation, revision } = readable
  const inGeneration = sql`task_id = ${task_id} and job_id = ${job_id} and generation = ${generation}`
  const since = sql`${inGeneration} and revision > ${revision}`
  const created = sql`(select coalesce(range_agg(created_ids), '{}') from revisions where ${since})`
  const replaced = sql`(
    select coalesce(range_agg(int8range(id, id, '[]')), '{}') from ${replacedTable(kind)} where ${since})`
  return sql`
    select ${columnsOf(kind)} from ${sql.table(arrayOf[kind])} as stored where ${inGeneration}
      and not id <@ ${created} and not id <@ ${replaced}
    union all
    select ${columnsOf(kind, 'first')} from (
      select distinct on (id) * from ${replacedTable(kind)} where ${since} order by id, revision
    ) as first
    where not (first.id <@ ${created} and exists (select from revisions as made where ${since}
      and made.revision < first.revision and first.id <@ made.created_ids))`
}

/** Target and query that select the rows. */
interface Selection {
  target: AnnotationTarget
  selection: AnnotationQuery
}

/** Selects rows as lines, in response order. For tracks the result may include some that the query does not match. */
function selectAt(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  readable: ReadableRevision,
  { target, selection }: Selection,
): CompiledQuery {
  const conditions = [sql`true`, ...conditionsOn(kind, target, selection)]
  const columns = lineOf[kind]
  const order = kind === 'track' ? 'id' : 'frame, id'
  return sql`select ${sql.raw(columns.join(', '))} from (${rowsAt(kind, readable)}) as stored
    where ${sql.join(conditions, sql` and `)} order by ${sql.raw(order)}`.compile(tx)
}

/** Reads the objects of one kind that a job had at a revision and that the query selects, in batches. */
export function readAt(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  readable: ReadableRevision,
  { signal, ...selected }: Selection & { signal: AbortSignal },
): AsyncGenerator<AnnotationRow[]> {
  const rows = lineRows(kind, copyOut(tx, selectAt(tx, kind, readable, selected), { signal }))
  const { target, selection } = selected
  return kind === 'track' && selection.frames ? keepTracks(rows, target, selection) : rows
}
