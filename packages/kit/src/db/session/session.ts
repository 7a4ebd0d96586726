import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isCancelled, isConnectionLost } from '../errors.ts'
import { openSender } from './beginning.ts'
import { beyondCall, noteCommit, signalOfCall } from './call-signal.ts'

/** What a streaming statement may do to the connection it runs on. */
export interface Connection {
  /** Asks the server, from another connection, to stop what runs here; false when it could not be asked. */
  cancel: () => Promise<boolean>
  /** Closes the connection instead of giving it back. */
  drop: (reason: Error) => void
  /** Cuts the connection, in the middle of whatever it does. */
  sever: () => void
  /** Runs a statement of this connection, which ends early when the call it is made for does. */
  duringCall: <R>(statement: () => Promise<R>) => Promise<R>
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
  let isEnding = false
  const connection: Connection = {
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
    await connection.duringCall(sender.begun) // a server that says nothing keeps nobody longer than their call
    return { command: 'UPDATE', rowCount: await statement.runOn(client, connection), rows: [] }
  }
  const plain = (text: string, values: unknown[]) =>
    client.query(text, values).catch((thrown) => {
      if (isConnectionLost(thrown)) drop(thrown)
      throw thrown
    })
  const sender = openSender(plain)
  /** What comes meanwhile would be done behind it, for good; kysely refuses that only once the end is answered. */
  const ending = async <R>(end: () => Promise<R>): Promise<R> => {
    isEnding = true
    try {
      return await end()
    } finally {
      isEnding = false
    }
  }
  const rollback = async () => (broken ? nothing : plain('rollback', []))
  /** Not interrupted once it has begun: half of it would be neither done nor undone. */
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

/** What a dropped connection answers to a rollback, which it does by itself; asking would hide why it was dropped. */
const nothing = { command: 'SELECT', rowCount: 0, rows: [] }

/**
 * Asks the server to stop the statement when the signal of its call fires. A request that came too late might stop what
 * runs on the connection next, so that one is closed.
 *
 * @throws the reason of the signal, or what the statement throws
 */
async function endedByCall<R>(connection: Connection, statement: () => Promise<R>): Promise<R> {
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

/** Asks until the statement has ended: a request that overtakes it on the way to the server stops nothing. */
function startStopping(connection: Connection) {
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
