import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { poolWaiting } from '../observe/metrics.ts'
import { readAtScrape } from '../observe/registry.ts'
import { sessionPool } from './session/session.ts'

/**
 * Options of a pool. Times are in milliseconds, and 0 disables a limit. The defaults are listed in
 * docs/spec/reliability.md#postgresql.
 */
export interface DatabaseOptions {
  /** Name in `pg_stat_activity`. */
  application: string
  /** Largest number of connections. */
  max?: number
  /** Longest duration of a statement; streams raise it with `set local statement_timeout`. */
  statement_timeout?: number
  lock_timeout?: number
  idle_in_transaction_session_timeout?: number
  /** Longest wait for a free connection, after which the call fails as `unavailable`. */
  wait_timeout?: number
  /**
   * Restrictions of query plans. `keys`: every statement finds its rows by an index. A table that is small at planning
   * time must not be scanned, because the plan may still be in use when the table has grown. `generic`: statements are
   * also planned only once, regardless of their parameters. Otherwise the server overestimates the cost of a generic
   * plan that selects a partition at run time, and plans again for every call.
   */
  plans?: 'keys' | 'generic'
  /** Search path, unless the role has one (`db/provision.ts`). */
  search_path?: readonly string[]
  /** Called when an idle connection was lost; the pool replaces it. */
  onIdleError?: (error: Error) => void
}

/** Pool or transaction on which a query runs, with any tables. */
export type Queryable<T> = Kysely<T> | Transaction<T>

export interface Database<T> {
  db: Kysely<T>
  pool: pg.Pool
  /** Registers a listener of every commit of this process. Returns a function that removes it. */
  onCommit: (listener: () => void) => () => void
  /** Waits for running queries, and until the server has closed every connection. */
  close: () => Promise<void>
}

/**
 * Opens a pool on `url` with kysely. `int8` is read as a number and rejected beyond 2^53, `timestamptz` is read as a
 * `Date`. The first query opens the first connection.
 */
export function openDatabase<T>(url: string, options: DatabaseOptions): Database<T> {
  const pool = new pg.Pool(poolConfig(url, options))
  pool.on('error', options.onIdleError ?? (() => undefined))
  // The pool listens for errors of an idle connection, and a session of one in use.
  // Between both a connection may be lost, even while it opens, and an error without a
  // listener would end the process. Instead, the next statement fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const allClosed = trackConnections(pool)
  const forget = watchPool(pool, options.application)
  const listeners = new Set<() => void>()
  const committed = () => {
    for (const listener of listeners) listener()
  }
  const db = new Kysely<T>({
    dialect: new PostgresDialect({ pool: sessionPool(pool, committed) }),
  })

  return {
    db,
    pool,
    onCommit: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      forget()
      await db.destroy()
      if (!pool.ending) await pool.end()
      await allClosed()
    },
  }
}

function watchPool(pool: pg.Pool, name: string): () => void {
  const read = () => [{ gauge: poolWaiting, labels: { pool: name }, value: pool.waitingCount }]
  return readAtScrape(read, { keepMs: 0 })
}

function poolConfig(url: string, options: DatabaseOptions): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: options.application,
    max: options.max ?? 10,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    connectionTimeoutMillis: options.wait_timeout ?? 2000,
    statement_timeout: options.statement_timeout ?? 5000,
    lock_timeout: options.lock_timeout ?? 2000,
    idle_in_transaction_session_timeout: options.idle_in_transaction_session_timeout ?? 15_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types: { getTypeParser: typeParser },
    options: sessionSettings(options),
  }
}

/**
 * Returns the settings of every session: bulk reads walk an index instead
 * of sorting, and plans are too short for JIT compilation.
 */
function sessionSettings({ search_path, plans }: DatabaseOptions): string {
  const settings = ['random_page_cost=1.1', 'jit=off']
  if (plans) settings.push('enable_seqscan=off')
  if (plans === 'generic') settings.push('plan_cache_mode=force_generic_plan')
  if (search_path) settings.push(`search_path=${search_path.join(',')}`)
  return settings.map((one) => `-c ${one}`).join(' ')
}

const int8 = 20

/**
 * Parsers of pg, except for `int8`, which pg returns as text. They are set
 * per pool, so that those of the process stay unchanged.
 */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 && format !== 'binary' ? readInt8 : pg.types.getTypeParser(oid, format)

function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`)
  return value
}

/**
 * Waits for the sockets of a pool. `pool.end()` resolves before they are closed, and a server that stops then would
 * report broken connections.
 */
function trackConnections(pool: pg.Pool): () => Promise<void> {
  const open = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    open.add(ended)
    void ended.then(() => open.delete(ended))
  })
  return async () => {
    await Promise.all(open)
  }
}
