import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { type CopyToStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Queryable } from './connect.ts'
import type { StatementConnection, StreamingStatement } from './session/session.ts'

/**
 * The bulk row format: CSV whose separators are control characters, which JSON text cannot contain, so that lines can
 * be split on newline and 0x02 only. An empty field is null, two 0x01 are the empty text.
 */
const rowFormat = "format csv, delimiter E'\\x02', quote E'\\x01'"
export const emptyText = '\x01\x01'

export interface CopyOptions {
  signal?: AbortSignal
}

/** Usual CSV (RFC 4180 with line feeds) with a header. */
const csvFormat = 'format csv, header'

export interface CopyOutOptions extends CopyOptions {
  /** Output format; by default rows in the bulk format. */
  as?: 'rows' | 'csv'
}

export interface CopyTarget {
  /** Name of a table in the schema of the service, without dots. */
  table: string
  columns: readonly string[]
}

/**
 * Copies rows into a table, within the transaction if `db` is one. Reads `chunks`, which may be cut anywhere, only as
 * fast as the server accepts them. If they fail, or `signal` fires, no rows are added.
 * @returns the number of rows
 * @throws the error of `chunks`, the reason of `signal`, or an error of pg with the line in `where`
 */
export async function copyIn<T>(
  db: Queryable<T>,
  { table, columns }: CopyTarget,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { signal }: CopyOptions = {},
): Promise<number> {
  signal?.throwIfAborted()
  const names = columns.map(pg.escapeIdentifier).join(', ')
  const text = `copy ${pg.escapeIdentifier(table)} (${names}) from stdin with (${rowFormat})`
  const statement: StreamingStatement = {
    runOn: async (client) => {
      const stream = client.query(copyFrom(text))
      const answered = settled(stream, 'close')
      try {
        await pipeline(chunks, stream, { signal })
      } catch (thrown) {
        // The connection may be used again only after the server has responded.
        await answered
        throw signal?.aborted ? signal.reason : thrown
      }
      return stream.rowCount
    },
  }
  const { numAffectedRows } = await sql`${statement}`.execute(db)
  return Number(numAffectedRows)
}

/**
 * Streams the rows of `query` in pieces cut anywhere, with back-pressure: a reader that pauses makes the server wait.
 * If the reader stops early, or `signal` fires, the query is cancelled and the connection released, even without a
 * reader. Parameters of `query` are written into its text, because COPY accepts none.
 * @throws the reason of `signal`, or an error of pg
 */
export async function* copyOut<T>(
  db: Queryable<T>,
  query: CompiledQuery,
  { signal, as = 'rows' }: CopyOutOptions = {},
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  const left = new AbortController()
  const over = signal ? AbortSignal.any([signal, left.signal]) : left.signal
  const { stream, done } = await openCopyOut(db, copyText(query, as), over)
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      signal?.throwIfAborted()
      yield piece
    }
  } catch (thrown) {
    throw signal?.aborted ? signal.reason : thrown
  } finally {
    left.abort()
    await done
  }
}

/** Starts the statement. The returned promise `done` never rejects, and resolves when the connection is free again. */
async function openCopyOut<T>(db: Queryable<T>, text: string, over: AbortSignal) {
  let done = Promise.resolve()
  const stream = await new Promise<CopyToStreamQuery>((resolve, reject) => {
    const statement: StreamingStatement = {
      runOn: async (client, connection) => {
        const copy = client.query(copyTo(text))
        const ended = settled(copy, 'end')
        resolve(copy)
        await Promise.race([ended, settled(over, 'abort')])
        if (!copy.readableEnded) await discard(copy, ended, connection)
        return copy.rowCount
      },
    }
    done = sql`${statement}`.execute(db).then(() => undefined, reject)
  })
  return { stream, done }
}

/** Cancels the query and discards the rows that were already sent. */
async function discard(
  stream: CopyToStreamQuery,
  ended: Promise<void>,
  connection: StatementConnection,
) {
  const skim = () => {
    while (stream.read() !== null);
  }
  stream.on('readable', skim)
  skim()
  const cancelled = await connection.cancel()
  if (cancelled) await ended
  else connection.drop(new Error('a COPY that nobody reads could not be cancelled'))
}

/** Resolves at `event`, at an error, or at once for a signal that has fired. */
function settled(source: Readable | Writable | AbortSignal, event: string): Promise<void> {
  return new Promise((resolve) => {
    if (source instanceof AbortSignal) {
      if (source.aborted) resolve()
      source.addEventListener(event, () => resolve(), { once: true })
    } else {
      source.once(event, () => resolve())
      source.on('error', () => resolve())
    }
  })
}

function copyText(query: CompiledQuery, as: 'rows' | 'csv'): string {
  const format = as === 'csv' ? csvFormat : rowFormat
  return `copy (${withLiterals(query)}) to stdout with (${format})`
}

const placeholder = /\$(\d+)/g

function withLiterals({ sql: text, parameters }: CompiledQuery): string {
  return text.replace(placeholder, (_, index: string) => literal(parameters[Number(index) - 1]))
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return pg.escapeLiteral(value)
  // PostgreSQL cannot infer the type of `array[]`.
  if (Array.isArray(value) && value.length === 0) return "'{}'"
  if (Array.isArray(value)) return `array[${value.map(literal).join(',')}]`
  throw new TypeError(`COPY takes no parameter of type ${typeof value}`)
}
