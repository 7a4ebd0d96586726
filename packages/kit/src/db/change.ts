import type { Kysely, Transaction } from 'kysely'
import { answerOf, applyOnce } from '../outbox/calls.ts'
import type { Context } from '../rpc/context.ts'
import { type Turns, turns } from '../turns.ts'
import { busy, retrySerialization } from './errors.ts'

/**
 * What outlives JSON, in which the answer of a call is kept. A `Date` is not: it would come back as a text, so it is
 * written out before or made afterwards.
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
 * The one transaction of a call that changes something (`reliability.md` 13). Over the network a caller whose connection
 * broke asks again, under the same id: what is done already is not done twice, and its answer is given again. A call has
 * one `change`; a second one under its id would be taken for a repeat. Run again when it lost against another
 * transaction, so `run` must bear that.
 *
 * Changes of one `row` (what `run` locks first: `project:7`) take turns before they take a connection, so that many of them
 * at once leave the other connections to everybody else.
 *
 * @throws DomainError conflict when the turn has not come after 10 s
 */
export function change<T, R extends Storable>(
  db: Kysely<T>,
  { call_id, row }: Pick<Context, 'call_id'> & { row?: string },
  run: (tx: Transaction<T>) => Promise<R>,
): Promise<R> {
  const once = () =>
    retrySerialization(() =>
      db.transaction().execute((tx) => (call_id ? applyOnce(tx, call_id, () => run(tx)) : run(tx))),
    )
  return row ? turnsOf(db)(row, once, { ms: turnMs, late: busy }) : once()
}

/** Waiting for a turn costs nobody anything, so it may be longer than for a lock, which holds a connection. */
const turnMs = 10_000
const known = new WeakMap<object, Turns>()

/** Turns are of a pool, whoever asks it. */
function turnsOf(db: object): Turns {
  const inTurn = known.get(db) ?? turns()
  known.set(db, inTurn)
  return inTurn
}

/**
 * The same, where the call is checked before its transaction (another service is asked) and the check would fail on what
 * the call itself has done: `prepare` is left out when the answer is known already.
 */
export async function changeAfter<T, C, R extends Storable>(
  db: Kysely<T>,
  context: Pick<Context, 'call_id'>,
  prepare: () => Promise<C>,
  run: (tx: Transaction<T>, prepared: C) => Promise<R>,
): Promise<R> {
  const known = context.call_id && (await answerOf<T, R>(db, context.call_id))
  if (known) return known.answer
  const prepared = await prepare()
  return change(db, context, (tx) => run(tx, prepared))
}
