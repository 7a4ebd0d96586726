import { DomainError, unavailable } from '@reticle/kit'
import { type ControlledTransaction, type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

/** A reader that takes nothing for so long loses its snapshot, and the connection goes to the next one. */
const usualIdleMs = 30_000

type Tx = ControlledTransaction<AnnotationsDb>

/** Answers what is known before the first byte, and the stream. */
type Open<H, T> = (tx: Tx, over: AbortSignal) => Promise<{ head: H; chunks: AsyncGenerator<T> }>

/**
 * A stream out of one repeatable-read snapshot. `open` sees the snapshot first; the connection goes back when the stream
 * ends, is left, fails, or when nobody reads it for 30 s.
 *
 * @param idleMs only tests wait for less
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

/** As `openSnapshot`, of a moment that `open` chooses: within ten minutes it calls `fixSnapshot`, and no query before. */
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
    // A setting is no query: nothing is seen yet.
    await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(tx)
    const { head, chunks } = await open(tx, over)
    return { head, chunks: watched(chunks, { left, close, signal, idleMs }) }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/**
 * The first query, which fixes what the snapshot sees, and the timeouts of a stream: it lasts as long as its reader takes,
 * and stands still between two pieces.
 */
export async function fixSnapshot(tx: Tx): Promise<void> {
  await sql`select set_config('statement_timeout', '10min', true),
    set_config('idle_in_transaction_session_timeout', '1min', true)`.execute(tx)
}

/** Ends the transaction, once. */
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

/** No generator: one that is left before it began would never close. */
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
    if (lost) throw lost // an end here would look like the end of the answer
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
