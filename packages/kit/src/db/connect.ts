import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { poolWaiting } from '../observe/metrics.ts'
import { readAtScrape } from '../observe/registry.ts'
import { sessionPool } from './session/session.ts'

/** How a pool behaves; every default is that of `reliability.md` 15. Times are milliseconds, 0 switches a limit off. */
export interface DatabaseOptions {
  /** Shown in `pg_stat_activity`. */
  application: string
  /** Connections at most. */
  max?: number
  /** Longest a single statement may run; streams raise it by `set local statement_timeout`. */
  statement_timeout?: number
  lock_timeout?: number
  idle_in_transaction_session_timeout?: number
  /** Longest wait for a free connection; then the call fails as `unavailable`. */
  wait_timeout?: number
  /**
   * `keys`: every statement finds its rows by an index. A table that is small when a statement is planned is not scanned: the
   * plan may still be in use when the table has grown. `generic`: statements are also planned once, whatever their
   * parameters. The server expects too much of a plan that has yet to choose its partition, and would plan it again for
   * every call.
   */
  plans?: 'keys' | 'generic'
  /** Schemas to look in, where the role does not already say so (`db/provision.ts`). */
  search_path?: readonly string[]
  /** Told about the loss of an idle connection; the pool replaces it by itself. */
  onIdleError?: (error: Error) => void
}

/** What generic SQL runs on: a pool or a transaction, whatever its tables. */
export type Session<T> = Kysely<T> | Transaction<T>

export interface Database<T> {
  db: Kysely<T>
  pool: pg.Pool
  /** Runs `listener` after every commit of this process; answers how to stop that. */
  onCommit: (listener: () => void) => () => void
  /** Waits for running queries, and until the server has seen every connection go. */
  close: () => Promise<void>
}

/**
 * A pool on `url` and kysely over it. `int8` is read as a number and refused beyond 2^53, `timestamptz` as a `Date`.
 * Nothing is connected before the first query.
 */
export function openDatabase<T>(url: string, options: DatabaseOptions): Database<T> {
  const pool = new pg.Pool(poolConfig(url, options))
  pool.on('error', options.onIdleError ?? (() => undefined))
  // The pool listens while a connection is idle, a session once it has it: one may be lost in between, even by the very bytes
  // that open it, and an error that nobody hears ends the process. The statement that runs next fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const gone = trackConnections(pool)
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
      await gone()
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
 * Settings of every session: bulk reads walk their key instead of sorting, and plans are too short to compile
 * (`perf-design.md` 2.2).
 */
function sessionSettings({ search_path, plans }: DatabaseOptions): string {
  const settings = ['random_page_cost=1.1', 'jit=off']
  if (plans) settings.push('enable_seqscan=off')
  if (plans === 'generic') settings.push('plan_cache_mode=force_generic_plan')
  if (search_path) settings.push(`search_path=${search_path.join(',')}`)
  return settings.map((one) => `-c ${one}`).join(' ')
}

const int8 = 20

/** pg's own readers, but for `int8`, which pg leaves as text. Set per pool: readers of the process stay untouched. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 && format !== 'binary' ? readInt8 : pg.types.getTypeParser(oid, format)

function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`)
  return value
}

/** `pool.end()` answers before its sockets are closed; a server stopped then would see them as broken. */
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
