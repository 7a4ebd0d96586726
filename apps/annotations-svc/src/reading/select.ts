import {
  arrayOf,
  columnSeparator,
  type Row,
  type RowKind,
  rowColumns,
  splitLines,
  toLatin1,
} from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import {
  type CompiledQuery,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { type Asked, everything } from '../queries/asked.ts'
import { conditionsOn, jobsAt } from '../queries/conditions.ts'
import { isSequence, type Target } from '../targets/target.ts'
import { joinRows, type PieceRow } from './pieces.ts'

type Db = Kysely<AnnotationsDb> // a transaction fits here too

/** Expressions of the columns of a row line, so that a line of `COPY` is one (`row-lines.ts`). */
export const lineOf: Record<RowKind, readonly string[]> = {
  tag: ["'tag'", 'frame', 'label_id', 'id', '"group"', 'source', 'attributes'],
  shape: [
    ...["'shape'", 'frame', 'label_id', 'id', '"group"', 'z_order', 'rotation', 'score', 'type'],
    ...['source', 'occluded', 'outside', "nullif(points, '')", 'attributes', 'elements'],
  ],
  track: [
    ...["'track'", 'start_frame', 'label_id', 'id', '"group"', 'source', 'attributes'],
    ...["nullif(shapes, '')", 'elements'],
  ],
}

/** What the pieces of a track share: the id of the first of them. */
export const originOf = 'coalesce(origin, id)'

/** `frame` is the order of row lines; `id` is how answers of REST have their tracks. */
export type TrackOrder = 'frame' | 'id'

/** The statement of a bulk read. For tags and shapes of jobs in sequence it is a walk of the primary key, unsorted. */
export function selectRows(
  db: Db,
  kind: RowKind,
  target: Target,
  order: TrackOrder,
  asked: Asked = everything,
): CompiledQuery {
  const conditions = [ofJobs(kind, target, asked), ...conditionsOn(kind, target, asked)]
  return sql`
    ${linesFrom(kind)} where task_id = ${target.task_id} and ${sql.join(conditions, sql` and `)}
    order by ${sql.raw(orderOf(kind, target, order))}`.compile(db)
}

/** Of a task whose frames are asked for, only the jobs that have one are walked. */
function ofJobs(kind: RowKind, target: Target, { frames }: Asked): RawBuilder<SqlBool> {
  if (target.kind === 'job') return sql`job_id = ${target.id}`
  if (!frames || kind === 'track') return sql`job_id <= ${lastJobOf(target)}`
  return sql`job_id = any(${jobsAt(target, frames)})`
}

/** Ground truth and replicas are made after the jobs that share out the frames: they have the higher ids. */
const lastJobOf = ({ jobs }: Target) => jobs.at(-1)?.id ?? 0

/** The columns of lines; of tracks also what their pieces share. */
function linesFrom(kind: RowKind) {
  const columns = kind === 'track' ? [...lineOf.track, originOf] : lineOf[kind]
  return sql`select ${sql.raw(columns.join(', '))} from ${sql.table(arrayOf[kind])}`
}

function orderOf(kind: RowKind, target: Target, order: TrackOrder): string {
  if (kind !== 'track') return isSequence(target) ? 'task_id, job_id, frame, id' : 'frame, id'
  const start = `min(start_frame) over (partition by ${originOf}), `
  return `${order === 'frame' ? start : ''}${originOf}, job_id`
}

/** The statement that reads again what one request created, in its order: a walk of the index of ids. */
function selectCreated(db: Db, kind: RowKind, { task_id }: Target, ids: string): CompiledQuery {
  return sql`
    ${linesFrom(kind)} where task_id = ${task_id} and id >= lower(${ids}::int8multirange)
      and id < upper(${ids}::int8multirange) and id <@ ${ids}::int8multirange
    order by ${sql.raw(kind === 'track' ? `${originOf}, job_id` : 'id')}`.compile(db)
}

/** Every row of one kind, in batches, as `tx` sees them. */
export function readKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  { order, asked, signal }: { order: TrackOrder; asked?: Asked; signal: AbortSignal },
): AsyncGenerator<Row[]> {
  return readRows(tx, kind, selectRows(tx, kind, target, order, asked), signal)
}

/**
 * The rows of one kind that a request created, in its order; tracks whole.
 *
 * @param ids every id the request had, as a multirange
 */
export function readCreated(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  { ids, signal }: { ids: string; signal: AbortSignal },
): AsyncGenerator<Row[]> {
  return readRows(tx, kind, selectCreated(tx, kind, target, ids), signal)
}

async function* readRows(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  query: CompiledQuery,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const bytes = copyOut(tx, query, { signal })
  if (kind === 'track') yield* joinRows(pieceRows(bytes))
  else for await (const texts of splitLines(bytes)) yield texts.map((text) => lineRow(kind, text))
}

function lineRow(kind: RowKind, text: string): Row {
  return { kind, columns: columnsOf(text) }
}

/** The columns behind the kind. Measured faster than `split` by a fifth, on the path of every large answer. */
function columnsOf(text: string): string[] {
  const columns: string[] = []
  let at = text.indexOf(columnSeparator) + 1
  for (;;) {
    const end = text.indexOf(columnSeparator, at)
    if (end === -1) {
      columns.push(text.slice(at))
      return columns
    }
    columns.push(text.slice(at, end))
    at = end + 1
  }
}

async function* pieceRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<PieceRow[]> {
  for await (const texts of splitLines(bytes)) {
    yield texts.map((text) => {
      const { kind, columns } = lineRow('track', text)
      return { kind, columns: columns.slice(0, -1), origin: columns.at(-1) ?? '' }
    })
  }
}

/** A row line of columns as a plain query gives them. */
export function textRow(kind: RowKind, texts: readonly (string | null)[]): Row {
  const { length } = rowColumns[kind]
  const columns: string[] = []
  for (let index = 0; index < length; index++) columns.push(toLatin1(texts[index] ?? ''))
  return { kind, columns }
}
