import { arrayOf, type Row, type RowKind } from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import { type CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Asked } from '../queries/asked.ts'
import { conditionsOn } from '../queries/conditions.ts'
import { keepTracks } from '../queries/tracks.ts'
import { lineRows } from '../reading/lines.ts'
import { lineOf } from '../reading/select.ts'
import type { Target } from '../targets/target.ts'
import { columnsOf, replacedTable } from './keep.ts'
import type { Moment } from './revisions.ts'

/**
 * The rows that a job had at a revision, with the columns of their table. They are those of the revision's generation, but
 * for what was done to it since: of a row that was changed or removed the earliest that was replaced stands, and what was
 * created is left out. A row that left the job and came back was both; what happened first counts. Sets of ids are
 * multiranges, which are searched: however many there are, no plan compares each with each.
 */
export function rowsAt(kind: RowKind, moment: Moment): RawBuilder<unknown> {
  const { task_id, job_id, generation, revision } = moment
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

/** Which rows are read, and whose. */
interface Selection {
  target: Target
  asked: Asked
}

/** Rows as lines, in the order of answers; of tracks at least those that are asked for. */
function selectAt(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  moment: Moment,
  { target, asked }: Selection,
): CompiledQuery {
  const conditions = [sql`true`, ...conditionsOn(kind, target, asked)]
  const columns = lineOf[kind]
  const order = kind === 'track' ? 'id' : 'frame, id'
  return sql`select ${sql.raw(columns.join(', '))} from (${rowsAt(kind, moment)}) as stored
    where ${sql.join(conditions, sql` and `)} order by ${sql.raw(order)}`.compile(tx)
}

/** The objects of one kind that a job had at a revision and that are asked for, in batches. */
export function readAt(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  moment: Moment,
  { signal, ...selection }: Selection & { signal: AbortSignal },
): AsyncGenerator<Row[]> {
  const rows = lineRows(kind, copyOut(tx, selectAt(tx, kind, moment, selection), { signal }))
  const { target, asked } = selection
  return kind === 'track' && asked.frames ? keepTracks(rows, target, asked) : rows
}
