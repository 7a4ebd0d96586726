import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** A statement that streams (COPY): it is handed to the driver in place of parameters and drives the connection itself. */
export interface StreamingStatement {
  /** Resolves once the connection is ready for the next statement; `drop` closes it instead. */
  runOn: (client: pg.PoolClient, drop: (reason: Error) => void) => Promise<{ rows: number }>
}

/**
 * The pool as kysely sees it. Beside plain statements a connection runs `StreamingStatement`s, so that COPY is part of an
 * ordinary kysely transaction, and tells `committed` when a transaction has been committed.
 */
export function sessionPool(pool: pg.Pool, committed: () => void): PostgresPool {
  const sessions = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const known = sessions.get(client) ?? session(client, committed)
      sessions.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

function session(client: pg.PoolClient, committed: () => void): PostgresPoolClient {
  let broken: Error | undefined
  const drop = (reason: Error) => {
    broken = reason
  }

  const query = async (text: string, values: readonly unknown[]) => {
    const [first] = values
    if (isStreaming(first)) {
      const { rows } = await first.runOn(client, drop)
      return { command: 'UPDATE' as const, rowCount: rows, rows: [] }
    }
    // A dropped connection has rolled back already; asking it again would hide why it was dropped.
    if (broken && text === 'rollback') return { command: 'SELECT' as const, rowCount: 0, rows: [] }
    const result = await client.query(text, [...values])
    if (text === 'commit') committed()
    return result
  }
  const release = () => {
    client.release(broken)
  }
  return { query, release } as unknown as PostgresPoolClient
}

function isStreaming(value: unknown): value is StreamingStatement {
  return typeof value === 'object' && value !== null && 'runOn' in value
}
