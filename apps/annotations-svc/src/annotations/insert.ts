import type { RowKind } from '@reticle/contracts/row-lines'
import { columnSeparator } from '@reticle/contracts/row-lines'
import { copyIn, emptyText } from '@reticle/kit/db/copy'
import { sql, type Transaction } from 'kysely'
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
      for (const column of row.columns) bytes[kind] += column.length
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
  const { columns, neverNull } = tables[kind]
  const kept = neverNull.map((name) => columns.indexOf(name))
  const lines = rows.map((row) => {
    const isFull = kept.every((index) => row.columns[index] !== '')
    const texts = isFull ? row.columns : withEmpty(row.columns, kept)
    return `${texts.join(columnSeparator)}\n`
  })
  yield Buffer.from(lines.join(''))
}

const withEmpty = (columns: readonly string[], kept: readonly number[]) =>
  columns.map((text, index) => (text === '' && kept.includes(index) ? emptyText : text))

async function insertArrays(tx: Tx, kind: RowKind, rows: readonly StoredRow[]): Promise<void> {
  const { table, columns } = tables[kind]
  const names = sql.join(columns.map((name) => sql.id(name)))
  await sql`insert into ${sql.table(table)} (${names})
    select * from unnest(${sql.join(arraysOf(kind, rows))})`.execute(tx)
}

/** Changes rows where they are: every column but the ids of the object and of its task. */
export async function updateRows(tx: Tx, kind: RowKind, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return
  const { table, columns } = tables[kind]
  const changed = columns.filter((name) => !['task_id', 'id', 'origin'].includes(name))
  const changes = changed.map((name) => sql`${sql.id(name)} = given.${sql.id(name)}`)
  const names = sql.join(columns.map((name) => sql.id(name)))
  await sql`update ${sql.table(table)} as stored set ${sql.join(changes)}
    from unnest(${sql.join(arraysOf(kind, rows))}) as given (${names})
    where stored.task_id = ${Number(rows[0]?.columns[0])} and stored.id = given.id`.execute(tx)
}

/** One array a column; an empty text is null where the column can be. */
function arraysOf(kind: RowKind, rows: readonly StoredRow[]) {
  const { columns, neverNull } = tables[kind]
  return columns.map((name, index) => {
    const texts = rows.map((row) => row.columns[index] ?? '')
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
