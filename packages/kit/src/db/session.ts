import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isConnectionLost } from './errors.ts'

/** What a streaming statement may do to the connection it runs on. */
export interface Connection {
  /** Asks the server, from another connection, to stop what runs here; false when it could not be asked. */
  cancel: () => Promise<boolean>
  /** Closes the connection instead of giving it back. */
  drop: (reason: Error) => void
}

/** A statement that streams (COPY): it is handed to the driver in place of parameters and drives the client itself. */
export interface StreamingStatement {
  /** Resolves to the number of rows once the client is ready for the next statement. */
  runOn: (client: pg.PoolClient, connection: Connection) => Promise<number>
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
      const known = sessions.get(client) ?? openSession(pool, client, committed)
      sessions.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

function openSession(pool: pg.Pool, client: pg.PoolClient, committed: () => void) {
  let broken: Error | undefined
  const drop = (reason: Error) => {
    broken = reason
  }
  // The pool listens only while a connection is idle; nobody would hear of one lost between two statements.
  client.on('error', drop)
  const connection: Connection = {
    cancel: () => cancel(pool, Reflect.get(client, 'processID')),
    drop,
  }

  const query = async (text: string, values: readonly unknown[]) => {
    const [first] = values
    if (isStreaming(first)) {
      return { command: 'UPDATE', rowCount: await first.runOn(client, connection), rows: [] }
    }
    // A dropped connection rolls back by itself; asking it would only hide why it was dropped.
    if (broken && text === 'rollback') return { command: 'SELECT', rowCount: 0, rows: [] }
    const result = await client.query(text, [...values]).catch((thrown) => {
      if (isConnectionLost(thrown)) drop(thrown)
      throw thrown
    })
    if (text === 'commit') committed()
    return result
  }
  return { query, release: () => client.release(broken) } as unknown as PostgresPoolClient
}

async function cancel(pool: pg.Pool, pid: unknown): Promise<boolean> {
  const other = new pg.Client(pool.options)
  other.on('error', () => undefined)
  try {
    await other.connect()
    await other.query('select pg_cancel_backend($1)', [pid])
    return true
  } catch {
    return false
  } finally {
    await other.end().catch(() => undefined)
  }
}

function isStreaming(value: unknown): value is StreamingStatement {
  return typeof value === 'object' && value !== null && 'runOn' in value
}
