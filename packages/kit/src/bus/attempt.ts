import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { isLockTimeout, isTransient } from '../db/errors.ts'
import { inSpan, traceBindings } from '../observe/traces.ts'
import { bury } from '../outbox/dead.ts'
import { readEnvelope } from '../outbox/envelope.ts'
import { once } from '../outbox/inbox.ts'
import {
  type BusEvent,
  EarlyEvent,
  type Group,
  type Handle,
  type OnFailure,
  PoisonEvent,
} from './bus.ts'

/** An event as it comes off a bus, before anyone has looked at it. */
export interface Message {
  offset: number
  event_id: string
  key: string
  headers: unknown
  value: unknown
}

/** The event that holds up a partition. */
interface Failure {
  offset: number
  error: unknown
  /** Tries that failed for a reason that passes, and those that failed otherwise. */
  transient: number
  other: number
}

/** Who handles events, and is told about every failure: of a handler, the database, the broker. */
export type Subscriber<T> = Group<T> & { handle: Handle<T>; onError: OnFailure }

interface Attempted {
  partition: number
  message: Message
  failures: Failures
  isLater?: boolean
  savepoint?: Savepoint
}

/** Whether the savepoint of an earlier event of the transaction is still open. */
interface Savepoint {
  isOpen: boolean
}

/** What a member remembers of each partition it works on; lost with the member, then counting starts anew. */
export type Failures = Map<number, Failure>

const transientPausesMs = [200, 1000, 5000, 15_000, 30_000]
const poisonTries = 5
/** A batch is committed after this long, so that its locks are not held on to. */
const transactionMs = 60
/**
 * How long an event may wait for locks behind another one of its transaction, which has locks already that whoever is waited
 * for may want: well before PostgreSQL looks for deadlocks.
 */
const laterLockMs = 100
/** Events handled in one transaction at most. */
export const batchSize = 100

/** How long to wait before try `tries + 1` of something that fails for a reason that passes. */
export const transientPause = (tries: number) => transientPausesMs[tries - 1] ?? 30_000

/** Nothing is wrong with the event: it is to be handled in a transaction of its own. */
const postponed = Symbol('postponed')

/**
 * Handles one event inside the transaction that will move the offset: through the inbox, its writes undone when the handler
 * fails, which is told to `onError`. An event that has failed too often is buried instead; one that is not for the group
 * costs no statement, as most of a topic is for others.
 *
 * @param isLater another event of this transaction has been handled: this one does not wait for locks, but is postponed
 * @param savepoint that of the transaction; the next event releases it, or the commit, which saves a round trip
 * @returns the error that keeps the partition at this event; nothing when the offset may move on
 */
export async function attempt<T>(
  tx: Transaction<T>,
  subscriber: Subscriber<T>,
  { partition, message, failures, isLater = false, savepoint = { isOpen: false } }: Attempted,
): Promise<unknown> {
  const { group, topic, handle } = subscriber
  const before = failures.get(partition)
  if (before?.offset === message.offset && before.other >= poisonTries) {
    await bury(tx, { consumer: group, topic, partition, ...message }, before.error)
    return undefined
  }
  let event: BusEvent
  try {
    event = readEnvelope(message.key, message.headers, message.value)
  } catch (error) {
    return told(subscriber, message, error)
  }
  if (handle.isFor?.(event.type) === false) return undefined
  const release = savepoint.isOpen ? sql`release savepoint event;` : sql``
  const wait = isLater ? sql`set local lock_timeout = ${sql.lit(laterLockMs)};` : sql``
  await sql`${release} ${wait} savepoint event`.execute(tx)
  savepoint.isOpen = true
  try {
    if (await once(tx, group, message.event_id)) await handled(tx, { group, handle }, event)
    return undefined
  } catch (thrown) {
    if (isLater && isLockTimeout(thrown)) {
      await sql`rollback to savepoint event`.execute(tx)
      return postponed
    }
    const error = told(subscriber, message, thrown ?? new Error('the handler threw nothing'))
    await sql`rollback to savepoint event`.execute(tx)
    return error
  }
}

function told<T>({ group, onError }: Subscriber<T>, message: Message, error: unknown): unknown {
  onError(error, { group, ...fieldsOf(message) })
  return error
}

function fieldsOf({ event_id, headers }: Message): Record<string, string> {
  const { traceparent } = z.object({ traceparent: z.string() }).partial().catch({}).parse(headers)
  return { event_id, ...traceBindings(traceparent) }
}

/** The handler as a span of the trace that the event is part of. */
function handled<T>(
  tx: Transaction<T>,
  { group, handle }: { group: string; handle: Handle<T> },
  event: BusEvent,
): Promise<void> {
  const { type, id, traceparent } = event
  const attributes = { 'reticle.event_id': id, 'messaging.consumer.group.name': group }
  const span = { kind: 'consumer', service: group, traceparent, attributes } as const
  return inSpan(`${type} process`, span, () => handle(tx, event))
}

/**
 * Handles events of one partition in order, until one fails, `isOver`, or the transaction has had its time. Only the first waits
 * for locks: in transactions of other partitions the same rows may be locked in another order.
 *
 * @param reached told the offset that comes after each event that is done
 * @returns the error of the event that failed
 */
export async function attemptEach<T>(
  tx: Transaction<T>,
  subscriber: Subscriber<T>,
  { partition, messages, failures }: { partition: number; messages: Message[]; failures: Failures },
  { isOver, reached }: { isOver: () => boolean; reached: (offset: number) => void },
): Promise<unknown> {
  const started = performance.now()
  const savepoint: Savepoint = { isOpen: false }
  for (const message of messages) {
    const isLater = message !== messages[0]
    const attempted = { partition, message, failures, isLater, savepoint }
    const error = await attempt(tx, subscriber, attempted)
    if (error === postponed) break
    if (error !== undefined) return error
    reached(message.offset + 1)
    if (isOver() || performance.now() - started > transactionMs) break
  }
  return undefined
}

/** Counts a failure of the event at `offset`; answers how many milliseconds the partition is to rest. */
export function noteFailure(
  failures: Failures,
  { partition, offset, error }: { partition: number; offset: number; error: unknown },
): number {
  const known = failures.get(partition)
  const before = known?.offset === offset ? known : { transient: 0, other: 0 }
  if (isPassing(error)) {
    const transient = before.transient + 1
    failures.set(partition, { ...before, offset, error, transient })
    return transientPause(transient)
  }
  const other = isHopeless(error) ? poisonTries : before.other + 1
  failures.set(partition, { ...before, offset, error, other })
  return 10 * 2 ** (other % poisonTries)
}

/** Whether the handler may succeed later without any change to the event. */
export const isPassing = (error: unknown) => isTransient(error) || error instanceof EarlyEvent

const isHopeless = (error: unknown) =>
  error instanceof PoisonEvent || error instanceof z.ZodError || error instanceof SyntaxError
