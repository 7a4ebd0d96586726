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
import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { type Asked, everything } from '../queries/asked.ts'
import type { JobRows } from '../targets/job-rows.ts'
import { isSequence, type Target } from '../targets/target.ts'
import { generationsOf, liveRows } from './live.ts'
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
  jobs: JobRows,
  order: TrackOrder,
  asked: Asked = everything,
): CompiledQuery {
  const isOrdered = kind !== 'track' && isSequence(target)
  const rows = liveRows(kind, target, jobs, { isOrdered, asked })
  const sorted = isOrdered ? sql`` : sql`order by ${sql.raw(orderOf(kind, order))}`
  return sql`${linesOf(kind)} ${rows} ${sorted}`.compile(db)
}

/** The columns of lines; of tracks also what their pieces share. */
function linesOf(kind: RowKind) {
  const columns = kind === 'track' ? [...lineOf.track, originOf] : lineOf[kind]
  return sql`select ${sql.raw(columns.join(', '))}`
}

function orderOf(kind: RowKind, order: TrackOrder): string {
  if (kind !== 'track') return 'frame, id'
  const start = `min(start_frame) over (partition by ${originOf}), `
  return `${order === 'frame' ? start : ''}${originOf}, job_id`
}

/** The statement that reads again what one request created, in its order: a walk of the index of ids. */
function selectCreated(
  db: Db,
  kind: RowKind,
  { task_id }: Target,
  { ids, jobs }: Created,
): CompiledQuery {
  return sql`
    ${linesOf(kind)} from ${sql.table(arrayOf[kind])}
    where task_id = ${task_id} and id >= lower(${ids}::int8multirange)
      and id < upper(${ids}::int8multirange) and id <@ ${ids}::int8multirange
      and generation = any(${generationsOf(jobs)}::bigint[])
    order by ${sql.raw(kind === 'track' ? `${originOf}, job_id` : 'id')}`.compile(db)
}

/** Every live row of one kind, in batches, as `tx` sees them. */
export function readKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  {
    jobs,
    order,
    asked,
    signal,
  }: { jobs: JobRows; order: TrackOrder; asked?: Asked | undefined; signal: AbortSignal },
): AsyncGenerator<Row[]> {
  return readRows(tx, kind, selectRows(tx, kind, target, jobs, order, asked), signal)
}

interface Created {
  /** Every id the request had, as a multirange. */
  ids: string
  /** The jobs as the request left them. */
  jobs: JobRows
}

/** The rows of one kind that a request created, in its order; tracks whole. */
export function readCreated(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  target: Target,
  { signal, ...created }: Created & { signal: AbortSignal },
): AsyncGenerator<Row[]> {
  return readRows(tx, kind, selectCreated(tx, kind, target, created), signal)
}

/** Rows of one kind as a statement gives their lines, in batches; tracks whole. */
export async function* readRows(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  query: CompiledQuery,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  if (kind === 'track') yield* joinRows(pieceRows(copyOut(tx, query, { signal })))
  else yield* readLines(tx, kind, query, signal)
}

/** Lines of one kind, whatever columns they have. */
export async function* readLines(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  query: CompiledQuery,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  for await (const texts of splitLines(copyOut(tx, query, { signal }))) {
    yield texts.map((text) => lineRow(kind, text))
  }
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
