import type { RowKind } from '@reticle/contracts/row-lines'
import { columnSeparator } from '@reticle/contracts/row-lines'
import { copyIn, emptyText } from '@reticle/kit/db/copy'
import { sql, type Transaction } from 'kysely'
import type { Target } from '../annotations/target.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { type StoredRow, tables } from './stored.ts'

type Tx = Transaction<AnnotationsDb>

/** Rows of one request on their way into the tables. */
export interface Inserter {
  add: (kind: RowKind, rows: readonly StoredRow[]) => Promise<void>
  /** Resolves when everything that was added is in the tables. */
  finish: () => Promise<void>
  /** Resolves when nothing is under way any more, whatever became of it. */
  settle: () => Promise<void>
}

/** From here on `COPY` is faster than a statement with arrays (`perf-design.md` 2.1). */
const copyFrom = 101
/** Rows are sent in groups of about this size, one being stored while the next one is checked. */
const groupBytes = 1_000_000

export function openInserter(tx: Tx): Inserter {
  const waiting: Record<RowKind, StoredRow[]> = { tag: [], shape: [], track: [] }
  const bytes: Record<RowKind, number> = { tag: 0, shape: 0, track: 0 }
  let running: Promise<void> = Promise.resolve()

  const send = async (kind: RowKind) => {
    const rows = waiting[kind]
    waiting[kind] = []
    bytes[kind] = 0
    await running
    running = insertRows(tx, kind, rows)
    running.catch(() => undefined) // heard by whoever awaits it next
  }
  const add: Inserter['add'] = async (kind, rows) => {
    for (const row of rows) {
      waiting[kind].push(row)
      bytes[kind] += row.text.length
    }
    if (bytes[kind] >= groupBytes) await send(kind)
  }
  const finish = async () => {
    await send('tag')
    await send('shape')
    await send('track')
    await running
  }
  const settle = () => running.catch(() => undefined)
  return { add, finish, settle }
}

/** Adds rows of one kind. */
export async function insertRows(tx: Tx, kind: RowKind, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return
  if (rows.length < copyFrom) await insertArrays(tx, kind, rows)
  else await copyIn(tx, tables[kind], copyText(kind, rows))
}

async function* copyText(kind: RowKind, rows: readonly StoredRow[]): AsyncGenerator<Buffer> {
  const lines = rows.map((row) => (row.isBare ? withEmpty(kind, row.text) : row.text))
  yield Buffer.from(`${lines.join('\n')}\n`)
}

function withEmpty(kind: RowKind, text: string): string {
  const { columns, neverNull } = tables[kind]
  const texts = text.split(columnSeparator).map((column, index) => {
    return column === '' && neverNull.includes(columns[index] ?? '') ? emptyText : column
  })
  return texts.join(columnSeparator)
}

async function insertArrays(tx: Tx, kind: RowKind, rows: readonly StoredRow[]): Promise<void> {
  const { table, columns } = tables[kind]
  const names = sql.join(columns.map((name) => sql.id(name)))
  await sql`insert into ${sql.table(table)} (${names})
    select * from unnest(${sql.join(arraysOf(kind, rows))})`.execute(tx)
}

/** Changes rows where they are: every column but the ids of the object and of its task. */
export async function updateRows(
  tx: Tx,
  kind: RowKind,
  { task_id }: Target,
  rows: readonly StoredRow[],
): Promise<void> {
  if (rows.length === 0) return
  const { table, columns } = tables[kind]
  const changed = columns.filter((name) => !['task_id', 'id', 'origin'].includes(name))
  const changes = changed.map((name) => sql`${sql.id(name)} = given.${sql.id(name)}`)
  const names = sql.join(columns.map((name) => sql.id(name)))
  await sql`update ${sql.table(table)} as stored set ${sql.join(changes)}
    from unnest(${sql.join(arraysOf(kind, rows))}) as given (${names})
    where stored.task_id = ${task_id} and stored.id = given.id`.execute(tx)
}

/** One array a column; an empty text is null where the column can be. */
function arraysOf(kind: RowKind, rows: readonly StoredRow[]) {
  const { columns, neverNull } = tables[kind]
  const split = rows.map((row) => row.text.split(columnSeparator))
  return columns.map((name, index) => {
    const texts = split.map((row) => row[index] ?? '')
    const values = neverNull.includes(name) ? texts : texts.map((text) => text || null)
    return sql`${values}::${sql.raw(typeOf(name))}[]`
  })
}

const otherTypes: Record<string, string> = {
  id: 'bigint',
  origin: 'bigint',
  rotation: 'float8',
  score: 'float8',
  type: 'smallint',
  source: 'smallint',
  occluded: 'boolean',
  outside: 'boolean',
  points: 'text',
  attributes: 'text',
  elements: 'text',
  shapes: 'text',
}
const typeOf = (column: string) => otherTypes[column] ?? 'integer'
