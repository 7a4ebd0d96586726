import {
  type AnnotationRow,
  arrayOf,
  type RowKind,
  rowColumns,
  rowKinds,
} from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import { completeRow, completeRows } from '../../reading/complete.ts'
import { cutText, toJson } from '../../reading/json.ts'
import { lineRows } from '../../reading/lines.ts'
import { lineOf } from '../../reading/store/select.ts'
import type { LabelIndex } from '../../validation/labels.ts'
import type { ReadableRevision } from './revisions.ts'
import { rowsAt } from './state.ts'

interface Diff {
  from: ReadableRevision
  to: ReadableRevision
  /** Current labels, if some objects have to be completed with them. */
  labels: LabelIndex | undefined
  signal: AbortSignal
}

type Tx = Transaction<AnnotationsDb>

/**
 * Yields the created, updated and deleted objects as JSON, matched by id; a chunk is never larger than its batch.
 * Both revisions meet in a `full join`, which can only hash or merge, and `num_nulls` keeps the planner from turning
 * it into another join.
 */
export async function* diffBytes(tx: Tx, diff: Diff): AsyncGenerator<Uint8Array> {
  const { from, to } = diff
  yield* cutText(`{"from":${from.revision},"to":${to.revision},"created":`)
  yield* lists((kind) => objects(only(tx, kind, to, from, diff)))
  yield* cutText(',"updated":')
  yield* lists((kind) => pairs(changed(tx, kind, diff)))
  yield* cutText(',"deleted":')
  yield* lists((kind) => objects(only(tx, kind, from, to, diff)))
  yield* cutText('}')
}

/** Yields an object with three lists, each made of consecutive texts. */
async function* lists(textsOf: (kind: RowKind) => AsyncIterable<string[]>) {
  let start = '{'
  for (const kind of rowKinds) {
    yield* cutText(`${start}"${arrayOf[kind]}":[`)
    let comma = ''
    for await (const texts of textsOf(kind)) {
      if (texts.length === 0) continue
      yield* cutText(comma + texts.join())
      comma = ','
    }
    start = '],'
  }
  yield* cutText(']}')
}

async function* objects(batches: AsyncIterable<AnnotationRow[]>): AsyncGenerator<string[]> {
  for await (const rows of batches) yield rows.map(toJson)
}

async function* pairs(batches: AsyncIterable<Pair[]>): AsyncGenerator<string[]> {
  for await (const list of batches) {
    yield list.map(([before, after]) => `{"before":${toJson(before)},"after":${toJson(after)}}`)
  }
}

/** Selects objects that exist in one revision and not in the other. */
function only(
  tx: Tx,
  kind: RowKind,
  there: ReadableRevision,
  missing: ReadableRevision,
  diff: Diff,
) {
  const query = sql`select ${kind}::text, ${columns(kind, 'one')} from (${linesAt(kind, there)}) as one
    full join (select id from (${rowsAt(kind, missing)}) as stored) as other on other.id = one.id
    where num_nulls(one.id) = 0 and num_nulls(other.id) = 1 order by one.c0, one.id`
  return completed(linesOf(tx, kind, query, diff), diff)
}

/** An object before and after its change. */
type Pair = [AnnotationRow, AnnotationRow]

function changed(tx: Tx, kind: RowKind, diff: Diff): AsyncGenerator<Pair[]> {
  const one = columns(kind, 'one')
  const other = columns(kind, 'other')
  const query = sql`select ${kind}::text, ${one}, ${other} from (${linesAt(kind, diff.from)}) as one
    full join (${linesAt(kind, diff.to)}) as other on other.id = one.id
    where num_nulls(one.id, other.id) = 0 and (${one}) is distinct from (${other})
    order by one.c0, one.id`
  return paired(linesOf(tx, kind, query, diff), kind, diff)
}

const linesOf = (tx: Tx, kind: RowKind, query: RawBuilder<unknown>, { signal }: Diff) =>
  lineRows(kind, copyOut(tx, query.compile(tx), { signal }))

/** Selects the rows of a revision with their line columns named `c0`, `c1`, ...; `c0` is the frame. */
function linesAt(kind: RowKind, readable: ReadableRevision): RawBuilder<unknown> {
  const named = lineOf[kind].slice(1).map((column, at) => `${column} as c${at}`)
  return sql`select id, ${sql.raw(named.join(', '))} from (${rowsAt(kind, readable)}) as stored`
}

const columns = (kind: RowKind, table: string) =>
  sql.raw(rowColumns[kind].map((_, at) => `${table}.c${at}`).join(', '))

/** Skips objects whose difference the current labels hide. */
async function* paired(
  batches: AsyncIterable<AnnotationRow[]>,
  kind: RowKind,
  { labels }: Diff,
): AsyncGenerator<Pair[]> {
  const { length } = rowColumns[kind]
  const whole = (row: AnnotationRow) => (labels ? completeRow(row, labels) : row)
  for await (const rows of batches) {
    yield rows.flatMap(({ columns: both }): Pair[] => {
      const before = whole({ kind, columns: both.slice(0, length) })
      const after = whole({ kind, columns: both.slice(length) })
      return before && after ? [[before, after]] : []
    })
  }
}

async function* completed(
  batches: AsyncIterable<AnnotationRow[]>,
  { labels }: Pick<Diff, 'labels'>,
): AsyncGenerator<AnnotationRow[]> {
  yield* labels ? completeRows(batches, labels) : batches
}
