import { DomainError, unavailable } from '@reticle/kit'
import { type ControlledTransaction, type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'

/** A reader that takes nothing for this time loses its snapshot, so that the connection becomes free. */
const usualIdleMs = 30_000

type Tx = ControlledTransaction<AnnotationsDb>

/** Returns the header of the response and the stream. */
type Open<H, T> = (tx: Tx, over: AbortSignal) => Promise<{ head: H; chunks: AsyncGenerator<T> }>

/**
 * Opens a stream from one repeatable-read snapshot. `open` reads from the snapshot first. The connection is released
 * when the stream ends, fails, is abandoned, or is not read for 30 s.
 *
 * @param idleMs shorter in tests only
 */
export function openSnapshot<H, T>(
  db: Kysely<AnnotationsDb>,
  signal: AbortSignal,
  open: Open<H, T>,
  idleMs = usualIdleMs,
): Promise<{ head: H; chunks: AsyncIterable<T> }> {
  const fixed: Open<H, T> = async (tx, over) => {
    await fixSnapshot(tx)
    return open(tx, over)
  }
  return openLater(db, signal, fixed, idleMs)
}

/**
 * Opens a stream like `openSnapshot`, but `open` chooses the moment: it calls `fixSnapshot` within ten minutes,
 * before any query.
 */
export async function openLater<H, T>(
  db: Kysely<AnnotationsDb>,
  signal: AbortSignal,
  open: Open<H, T>,
  idleMs = usualIdleMs,
): Promise<{ head: H; chunks: AsyncIterable<T> }> {
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  const left = new AbortController()
  const over = AbortSignal.any([signal, left.signal])
  const close = closing(tx)
  try {
    // Setting a parameter does not take the snapshot.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx)
    const { head, chunks } = await open(tx, over)
    return { head, chunks: watched(chunks, { left, close, signal, idleMs }) }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/**
 * Runs the first query, which takes the snapshot, and sets timeouts for a stream that lasts as long as its reader and
 * pauses between chunks.
 */
export async function fixSnapshot(tx: Tx): Promise<void> {
  await sql`select set_config('statement_timeout', '10min', true),
    set_config('idle_in_transaction_session_timeout', '1min', true)`.execute(tx)
}

/** Returns a function that ends the transaction once. */
function closing(tx: ControlledTransaction<AnnotationsDb>): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => {
    closed ??= tx.rollback().execute()
    return closed
  }
}

interface Watch {
  left: AbortController
  close: () => Promise<void>
  signal: AbortSignal
  idleMs: number
}

/** Not a generator, because a generator that is abandoned before it starts would never release the connection. */
function watched<T>(
  chunks: AsyncGenerator<T>,
  { left, close, signal, idleMs }: Watch,
): AsyncIterable<T> {
  let timer: NodeJS.Timeout | undefined
  const end = async () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
    left.abort(unavailable('The answer was not read.'))
    await chunks.return(undefined).catch(() => undefined)
    await close()
  }
  let lost: DomainError | undefined
  const leave = () => {
    lost = new DomainError('unavailable', 'The answer was not read in time.', {
      code: 'answer_unread',
      retry_after: 2,
    })
    void end().catch(() => undefined)
  }
  const wait = () => {
    timer = setTimeout(leave, idleMs)
    timer.unref()
  }
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  else wait()

  const next = async () => {
    if (lost) throw lost // ending here would look like a complete response
    clearTimeout(timer)
    try {
      const step = await chunks.next()
      if (step.done) await end()
      else wait()
      return step
    } catch (thrown) {
      await end()
      throw thrown
    }
  }
  const finish = async () => {
    await end()
    return { done: true as const, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: finish }) }
}
