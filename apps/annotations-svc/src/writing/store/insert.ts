import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { columnSeparator, type RowKind } from '@reticle/contracts/row-lines'
import { copyIn, emptyText } from '@reticle/kit/db/copy'
import { queryRows } from '@reticle/kit/db/prepared'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import { type StoredRow, tables } from '../stored.ts'

type Tx = Transaction<AnnotationsDb>

/** Writes the rows of one request into the tables, one kind after the other. */
export interface Inserter {
  /** Waits while too much data is buffered. */
  add: (kind: RowKind, rows: readonly StoredRow[]) => Promise<void>
  /** Resolves when all added rows are in the tables. */
  finish: () => Promise<void>
  /** Waits for running statements, ignoring errors. */
  settle: () => Promise<void>
}

/** Number of rows from which `COPY` is faster than a statement with arrays. */
const copyFrom = 101
/** Maximum number of buffered bytes. */
const aheadBytes = 4_000_000

/** Consecutive rows of one kind: a few wait for a statement, many use a running `COPY`. */
interface Run {
  kind: RowKind
  waiting: StoredRow[]
  copy?: { pipe: PassThrough; done: Promise<unknown> }
}

export function openInserter(tx: Tx): Inserter {
  let run: Run = { kind: 'tag', waiting: [] }

  const add: Inserter['add'] = async (kind, rows) => {
    if (kind !== run.kind) {
      await finish()
      run = { kind, waiting: [] }
    }
    run.waiting.push(...rows)
    if (!run.copy && run.waiting.length < copyFrom) return
    run.copy ??= startCopy(tx, kind)
    await write(run.copy, copyText(kind, run.waiting.splice(0)))
  }
  const finish = async () => {
    const { kind, waiting, copy } = run
    copy?.pipe.end()
    await (copy ? copy.done : insertRows(tx, kind, waiting))
    run = { kind, waiting: [] }
  }
  const settle = async () => {
    run.copy?.pipe.destroy()
    await run.copy?.done.catch(() => undefined)
  }
  return { add, finish, settle }
}

function startCopy(tx: Tx, kind: RowKind): NonNullable<Run['copy']> {
  const pipe = new PassThrough({ writableHighWaterMark: aheadBytes })
  const done = copyIn(tx, tables[kind], pipe)
  done.catch(() => undefined) // the next call or `finish` reports the error
  return { pipe, done }
}

async function write({ pipe, done }: NonNullable<Run['copy']>, text: Buffer): Promise<void> {
  if (!pipe.write(text)) await Promise.race([once(pipe, 'drain'), done])
}

/** Inserts rows of one kind. */
export async function insertRows(tx: Tx, kind: RowKind, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return
  if (rows.length < copyFrom) await insertArrays(tx, kind, rows)
  else await copyIn(tx, tables[kind], [copyText(kind, rows)])
}

function copyText(kind: RowKind, rows: readonly StoredRow[]): Buffer {
  const lines = rows.map((row) => (row.isBare ? withEmpty(kind, row.text) : row.text))
  return Buffer.from(`${lines.join('\n')}\n`)
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
  const text = `insert into ${table} (${columns.map(quoted)}) select * from ${given(columns)}`
  await queryRows(tx, { name: `insert_${table}`, text }, arraysOf(kind, rows))
}

/**
 * Updates rows in place, except the columns of the place. The rows were found while their jobs were locked, so each
 * insert conflicts with its row on the id key. An `update` would let the planner choose how to find them.
 */
export async function updateRows(tx: Tx, kind: RowKind, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return
  const { table, columns } = tables[kind]
  const changed = columns.filter((name) => !ofPlace.includes(name))
  const text = `
    insert into ${table} (${columns.map(quoted)}) select * from ${given(columns)}
    on conflict (${keyOfIds}) do update
      set ${changed.map((name) => `${quoted(name)} = excluded.${quoted(name)}`)}`
  await queryRows(tx, { name: `update_${table}`, text }, arraysOf(kind, rows))
}

/** Unique key by which an object is found. */
export const keyOfIds = 'task_id, id, generation, job_id'

const ofPlace = ['task_id', 'job_id', 'generation', 'id', 'origin']

const quoted = (name: string) => `"${name}"`

/** SQL that unnests the arrays of `arraysOf` side by side. */
const given = (columns: readonly string[]) =>
  `unnest(${columns.map((name, index) => `$${index + 1}::${typeOf(name)}[]`)})`

/** Returns one array per column; empty text becomes null where the column is nullable. */
function arraysOf(kind: RowKind, rows: readonly StoredRow[]): unknown[] {
  const { columns, neverNull } = tables[kind]
  const split = rows.map((row) => row.text.split(columnSeparator))
  return columns.map((name, index) => {
    const texts = split.map((row) => row[index] ?? '')
    return neverNull.includes(name) ? texts : texts.map((text) => text || null)
  })
}

const otherTypes: Record<string, string> = {
  id: 'bigint',
  origin: 'bigint',
  generation: 'bigint',
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
