import { arrayOf, type Row, type RowKind, rowColumns, rowKinds } from '@reticle/contracts/row-lines'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { completeRows } from '../reading/complete.ts'
import { cutText, toJson } from '../reading/json.ts'
import { lineOf, readLines } from '../reading/select.ts'
import type { LabelIndex } from '../validation/labels.ts'
import type { Moment } from './revisions.ts'
import { rowsAt } from './state.ts'

interface Diff {
  from: Moment
  to: Moment
  /** Set when some objects have to be completed. */
  labels: LabelIndex | undefined
  signal: AbortSignal
}

type Tx = Transaction<AnnotationsDb>

/** Objects by what became of them, told by their ids; a piece is never larger than its batch. */
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

/** An object of three lists, each of texts that follow each other. */
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

async function* objects(batches: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
  for await (const rows of batches) yield rows.map(toJson)
}

/** Rows come in twos: what an object was, and what it became. */
async function* pairs(batches: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
  for await (const rows of batches) {
    const texts = rows.map(toJson)
    yield Array.from({ length: texts.length / 2 }, (_, at) => {
      return `{"before":${texts[2 * at]},"after":${texts[2 * at + 1]}}`
    })
  }
}

/** Objects that are there at one moment and not at the other. */
function only(tx: Tx, kind: RowKind, there: Moment, missing: Moment, diff: Diff) {
  const query = sql`select ${kind}::text, ${columns(kind, 'one')} from (${linesAt(kind, there)}) as one
    where not exists (select from (${rowsAt(kind, missing)}) as other where other.id = one.id)
    order by one.c0, one.id`
  return completed(readLines(tx, kind, query.compile(tx), diff.signal), diff)
}

function changed(tx: Tx, kind: RowKind, diff: Diff): AsyncGenerator<Row[]> {
  const one = columns(kind, 'one')
  const other = columns(kind, 'other')
  const query = sql`select ${kind}::text, ${one}, ${other} from (${linesAt(kind, diff.from)}) as one
    join (${linesAt(kind, diff.to)}) as other on other.id = one.id
    where (${one}) is distinct from (${other}) order by one.c0, one.id`
  const lines = readLines(tx, kind, query.compile(tx), diff.signal)
  return completed(halved(lines, kind), diff)
}

/** Rows of a moment as the columns of their lines, called `c0` and on: the first is the frame. */
function linesAt(kind: RowKind, moment: Moment): RawBuilder<unknown> {
  const named = lineOf[kind].slice(1).map((column, at) => `${column} as c${at}`)
  return sql`select id, ${sql.raw(named.join(', '))} from (${rowsAt(kind, moment)}) as stored`
}

const columns = (kind: RowKind, table: string) =>
  sql.raw(rowColumns[kind].map((_, at) => `${table}.c${at}`).join(', '))

async function* halved(batches: AsyncIterable<Row[]>, kind: RowKind): AsyncGenerator<Row[]> {
  const { length } = rowColumns[kind]
  for await (const rows of batches) {
    yield rows.flatMap(({ columns }) => [
      { kind, columns: columns.slice(0, length) },
      { kind, columns: columns.slice(length) },
    ])
  }
}

async function* completed(
  batches: AsyncIterable<Row[]>,
  { labels }: Pick<Diff, 'labels'>,
): AsyncGenerator<Row[]> {
  yield* labels ? completeRows(batches, labels) : batches
}
