import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { beyondCall, noteCommit, signalOfCall } from '../../call/signal.ts'
import { isConnectionLost } from '../../net/connection-lost.ts'
import { isCancelled } from '../errors.ts'
import { openSender } from './beginning.ts'

/** Control of the connection on which a streaming statement runs. */
export interface StatementConnection {
  /**
   * Cancels the statement that runs here, by a request over another
   * connection. Resolves to false if that request failed.
   */
  cancel: () => Promise<boolean>
  /** Closes the connection instead of returning it to the pool. */
  drop: (reason: Error) => void
  /** Closes the connection immediately, even during a statement. */
  sever: () => void
  /** Runs a statement of this connection, and stops it when its call ends. */
  duringCall: <R>(statement: () => Promise<R>) => Promise<R>
}

/** Statement that streams (COPY). It is passed to the driver in place of parameters and controls the client itself. */
export interface StreamingStatement {
  /** Resolves to the number of rows once the client is ready for the next statement. */
  runOn: (client: pg.PoolClient, connection: StatementConnection) => Promise<number>
}

/**
 * Wraps a pool for kysely. Its connections also run `StreamingStatement`s, so that COPY can be part of a kysely
 * transaction, and call `committed` after each commit.
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
  // The pool listens only while a connection is idle; a loss between two statements would be unnoticed.
  client.on('error', drop)
  let isEnding = false
  const connection: StatementConnection = {
    cancel: () => cancel(pool, Reflect.get(client, 'processID')),
    drop,
    sever: () => void client.end(),
    duringCall: (statement) => endedByCall(connection, statement),
  }

  const query = async (text: string, values: readonly unknown[]) => {
    if (isEnding) throw new Error('a statement came while its transaction was being ended')
    const [first] = values
    if (isStreaming(first)) return stream(first)
    const step = steps.get(text)
    return step ? step() : connection.duringCall(() => sender.send(text, [...values]))
  }
  const stream = async (statement: StreamingStatement) => {
    signalOfCall()?.throwIfAborted()
    await connection.duringCall(sender.begun) // a silent server does not delay a caller beyond the end of its call
    return { command: 'UPDATE', rowCount: await statement.runOn(client, connection), rows: [] }
  }
  const plain = (text: string, values: unknown[]) =>
    client.query(text, values).catch((thrown) => {
      if (isConnectionLost(thrown)) drop(thrown)
      throw thrown
    })
  const sender = openSender(plain)
  /**
   * Rejects statements while the transaction ends: they would run after it and take effect permanently, and kysely
   * rejects them only after the end is confirmed.
   */
  const ending = async <R>(end: () => Promise<R>): Promise<R> => {
    isEnding = true
    try {
      return await end()
    } finally {
      isEnding = false
    }
  }
  const rollback = async () => (broken ? nothing : plain('rollback', []))
  /** Commits without interruption: the outcome of an interrupted commit would be unknown. */
  const commit = async () => {
    signalOfCall()?.throwIfAborted()
    const result = await plain('commit', [])
    noteCommit()
    beyondCall(committed)
    return result
  }
  const steps = new Map<string, () => Promise<unknown>>([
    ['begin', async () => sender.begin() ?? nothing],
    ['commit', async () => (sender.forget() ? nothing : ending(commit))],
    ['rollback', async () => (sender.forget() ? nothing : ending(rollback))],
  ])
  return { query, release: () => client.release(broken) } as unknown as PostgresPoolClient
}

/**
 * Result of a rollback on a dropped connection, which rolls back by itself. A real rollback would fail and hide the
 * cause of the drop.
 */
const nothing = { command: 'SELECT', rowCount: 0, rows: [] }

/**
 * Cancels the statement when the signal of its call fires. A late cancel request might stop the next statement of the
 * connection, so the connection is closed then.
 * @throws the reason of the signal, or the error of the statement
 */
async function endedByCall<R>(
  connection: StatementConnection,
  statement: () => Promise<R>,
): Promise<R> {
  const signal = signalOfCall()
  if (!signal) return statement()
  signal.throwIfAborted()
  let stopping: ReturnType<typeof startStopping> | undefined
  const stop = () => {
    stopping = startStopping(connection)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const result = await statement()
    await stopping?.end(false)
    return result
  } catch (thrown) {
    if (!stopping) throw thrown
    await stopping.end(isCancelled(thrown))
    throw signal.reason
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const tries = 3
const pauseMs = 50

/**
 * Repeats the cancel request until the statement has ended: a request that arrives before the statement stops nothing.
 */
function startStopping(connection: StatementConnection) {
  const over = new AbortController()
  const asking = async () => {
    for (let left = tries; left > 0 && !over.signal.aborted; left--) {
      if (!(await connection.cancel())) break
      await sleep(pauseMs, undefined, { signal: over.signal }).catch(() => undefined)
    }
    if (!over.signal.aborted) connection.sever()
  }
  const asked = asking()
  const end = async (isStopped: boolean) => {
    over.abort()
    await asked
    if (!isStopped) connection.drop(new Error('a statement was stopped too late'))
  }
  return { end }
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
