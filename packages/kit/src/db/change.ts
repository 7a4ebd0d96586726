import type { Kysely, Transaction } from 'kysely'
import type { CallContext } from '../call/context.ts'
import { answerOf, applyOnce } from '../keys/applied-calls.ts'
import { createKeyedQueue, type KeyedQueue } from '../scheduling/keyed-queue.ts'
import { busy, retrySerialization } from './errors.ts'

/**
 * Value that survives JSON, in which the response of a call is stored. A `Date` would return as text, so it must be
 * formatted before or created afterwards.
 */
export type Storable =
  | string
  | number
  | boolean
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a change that answers nothing
  | void
  | readonly Storable[]
  | { readonly [name: string]: Storable }

/**
 * Runs the transaction of a call that changes data. A caller whose connection broke repeats the call under the same id;
 * the change is then not made again, and the stored response is returned. A call may use `runChange` once only, since a
 * second use would count as a repetition. `run` must tolerate being repeated after a serialization failure.
 * Changes of one `row` (the row that `run` locks first: `project:7`) wait for each other before they take a connection,
 * so that many of them at once do not exhaust the pool.
 * @throws DomainError `conflict` if the turn does not come within 10 s
 */
export function runChange<T, R extends Storable>(
  db: Kysely<T>,
  { call_id, row }: Pick<CallContext, 'call_id'> & { row?: string },
  run: (tx: Transaction<T>) => Promise<R>,
): Promise<R> {
  const once = () =>
    retrySerialization(() =>
      db.transaction().execute((tx) => (call_id ? applyOnce(tx, call_id, () => run(tx)) : run(tx))),
    )
  return row ? turnsOf(db)(row, once, { ms: turnMs, late: busy }) : once()
}

/**
 * Milliseconds that a call waits for its turn. It may exceed the lock
 * timeout because waiting does not occupy a connection.
 */
const turnMs = 10_000
const known = new WeakMap<object, KeyedQueue>()

/** Returns the queue of turns of a pool, shared by all callers. */
function turnsOf(db: object): KeyedQueue {
  const inTurn = known.get(db) ?? createKeyedQueue()
  known.set(db, inTurn)
  return inTurn
}

/**
 * Runs a change like `runChange` whose checks happen before the transaction (another service is called) and would fail
 * because of the effect of the call itself. `prepare` is skipped if the response is stored already.
 */
export async function changeAfter<T, C, R extends Storable>(
  db: Kysely<T>,
  context: Pick<CallContext, 'call_id'>,
  prepare: () => Promise<C>,
  run: (tx: Transaction<T>, prepared: C) => Promise<R>,
): Promise<R> {
  const known = context.call_id && (await answerOf<T, R>(db, context.call_id))
  if (known) return known.answer
  const prepared = await prepare()
  return runChange(db, context, (tx) => run(tx, prepared))
}
