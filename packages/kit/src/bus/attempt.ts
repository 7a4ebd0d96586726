import { type Kysely, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import { isLockTimeout, isTransient } from '../db/errors.ts'
import { inSpan, traceBindings } from '../observe/traces.ts'
import { storeDeadEvent } from '../outbox/dead.ts'
import { readEnvelope } from '../outbox/envelope.ts'
import { markReceived } from '../outbox/inbox.ts'
import {
  type AfterCommit,
  type BusEvent,
  EarlyEvent,
  type Group,
  type Handle,
  type OnFailure,
  PoisonEvent,
} from './bus.ts'

/** Event as it arrives from a bus, not yet parsed. */
export interface Message {
  offset: number
  event_id: string
  key: string
  headers: unknown
  value: unknown
}

/** Event that blocks a partition. */
interface Failure {
  offset: number
  error: unknown
  /** Attempts that failed with a transient error, and attempts that failed with any other. */
  transient: number
  other: number
}

/** Handler of events with a callback for every failure: of a handler, the database or the broker. */
export type Subscriber<T> = Group<T> & { handle: Handle<T>; onError: OnFailure }

interface Attempted {
  partition: number
  message: Message
  failures: PartitionFailures
  afterCommit: AfterCommit
  isLater?: boolean
  savepoint?: Savepoint
}

/** Whether the savepoint of an earlier event of the transaction is still open. */
interface Savepoint {
  isOpen: boolean
}

const noSavepoint = (): Savepoint => ({ isOpen: false })

/** State that a member keeps for each of its partitions. It is lost with the member, and counting then starts again. */
export type PartitionFailures = Map<number, Failure>

const transientPausesMs = [200, 1000, 5000, 15_000, 30_000]
const poisonTries = 5
/** Milliseconds after which a batch is committed, so that its locks are not held for long. */
const transactionMs = 60
/**
 * Milliseconds that an event may wait for locks if an earlier event of its transaction holds locks. The limit ends the
 * wait well before PostgreSQL checks for deadlocks.
 */
const laterLockMs = 100
/** Largest number of events handled in one transaction. */
export const batchSize = 100

/** Returns the milliseconds to wait before attempt `tries + 1` after a transient error. */
export const transientPause = (tries: number) => transientPausesMs[tries - 1] ?? 30_000

/** The event is intact, but must be handled in a separate transaction. */
const postponed = Symbol('postponed')

/**
 * Handles one event inside the transaction that will move the offset, through the inbox. If the handler fails, its
 * writes are rolled back and `onError` is called. An event that has failed too often is moved to `dead_events`. An
 * event that the group does not handle costs no statement, because that is most of a topic.
 * @param isLater another event of this transaction was handled before: a longer wait for locks postpones this one
 * @param savepoint savepoint of the transaction; the next event or the commit releases it, which saves a round trip
 * @returns the error that keeps the partition at this event, or undefined if the offset may move on
 */
export async function attemptEvent<T>(
  tx: Transaction<T>,
  subscriber: Subscriber<T>,
  {
    partition,
    message,
    failures,
    afterCommit,
    isLater = false,
    savepoint = noSavepoint(),
  }: Attempted,
): Promise<unknown> {
  const { group, topic, handle } = subscriber
  const before = failures.get(partition)
  if (before?.offset === message.offset && before.other >= poisonTries) {
    await storeDeadEvent(tx, { consumer: group, topic, partition, ...message }, before.error)
    return undefined
  }
  let event: BusEvent
  try {
    event = readEnvelope(message.key, message.headers, message.value)
  } catch (error) {
    return reportFailure(subscriber, message, error)
  }
  if (handle.isFor?.(event.type) === false) return undefined
  const release = savepoint.isOpen ? sql`release savepoint event;` : sql``
  const wait = isLater ? sql`set local lock_timeout = ${sql.lit(laterLockMs)};` : sql``
  await sql`${release} ${wait} savepoint event`.execute(tx)
  savepoint.isOpen = true
  try {
    const left: (() => void)[] = []
    if (await markReceived(tx, group, message.event_id))
      await runHandler(tx, { group, handle }, event, (work) => left.push(work))
    left.forEach(afterCommit)
    return undefined
  } catch (thrown) {
    if (isLater && isLockTimeout(thrown)) {
      await sql`rollback to savepoint event`.execute(tx)
      return postponed
    }
    const error = reportFailure(
      subscriber,
      message,
      thrown ?? new Error('the handler threw nothing'),
    )
    await sql`rollback to savepoint event`.execute(tx)
    return error
  }
}

function reportFailure<T>(
  { group, onError }: Subscriber<T>,
  message: Message,
  error: unknown,
): unknown {
  onError(error, { group, ...fieldsOf(message) })
  return error
}

function fieldsOf({ event_id, headers }: Message): Record<string, string> {
  const { traceparent } = z.object({ traceparent: z.string() }).partial().catch({}).parse(headers)
  return { event_id, ...traceBindings(traceparent) }
}

/** Runs the handler as a span of the trace of the event. */
function runHandler<T>(
  tx: Transaction<T>,
  { group, handle }: { group: string; handle: Handle<T> },
  event: BusEvent,
  afterCommit: AfterCommit,
): Promise<void> {
  const { type, id, traceparent } = event
  const attributes = { 'reticle.event_id': id, 'messaging.consumer.group.name': group }
  const span = { kind: 'consumer', service: group, traceparent, attributes } as const
  return inSpan(`${type} process`, span, () => handle(tx, event, afterCommit))
}

/**
 * Handles events of one partition in order until one fails, `isOver` returns true, or the
 * transaction has lasted long enough. Only the first event waits for locks, because
 * transactions of other partitions may lock the same rows in another order.
 * @param reached receives the next offset after each handled event
 * @returns the error of the event that failed
 */
export async function attemptEach<T>(
  tx: Transaction<T>,
  subscriber: Subscriber<T>,
  {
    partition,
    messages,
    failures,
  }: { partition: number; messages: Message[]; failures: PartitionFailures },
  {
    isOver,
    reached,
    afterCommit,
  }: { isOver: () => boolean; reached: (offset: number) => void; afterCommit: AfterCommit },
): Promise<unknown> {
  const started = performance.now()
  const savepoint = noSavepoint()
  for (const message of messages) {
    const isLater = message !== messages[0]
    const attempted = { partition, message, failures, afterCommit, isLater, savepoint }
    const error = await attemptEvent(tx, subscriber, attempted)
    if (error === postponed) break
    if (error !== undefined) return error
    reached(message.offset + 1)
    if (isOver() || performance.now() - started > transactionMs) break
  }
  return undefined
}

/** Runs a transaction that handles events, and after its commit the work that they left until then, each once. */
export async function runTransaction<T, R>(
  db: Kysely<T>,
  run: (tx: Transaction<T>, afterCommit: AfterCommit) => Promise<R>,
): Promise<R> {
  const left = new Set<() => void>()
  const result = await db.transaction().execute((tx) => run(tx, (work) => void left.add(work)))
  for (const work of left) work()
  return result
}

/** Counts a failure of the event at `offset`, and returns the milliseconds for which the partition pauses. */
export function noteFailure(
  failures: PartitionFailures,
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

/** Returns true if the handler may succeed later with the same event. */
export const isPassing = (error: unknown) => isTransient(error) || error instanceof EarlyEvent

const isHopeless = (error: unknown) =>
  error instanceof PoisonEvent || error instanceof z.ZodError || error instanceof SyntaxError
