import type { EventType, Topic } from '@reticle/contracts/events/define'
import type { Kysely, Transaction } from 'kysely'
import type { EventCause } from '../outbox/emit.ts'
import type { BusEvent } from '../outbox/envelope.ts'
import type { RelayBatch } from '../outbox/relay.ts'

export type { BusEvent, EventActor, EventCaller } from '../outbox/envelope.ts'

/**
 * Leaves short work, which must not fail, until the transaction has committed, such as the wake-up of a loop that reads
 * what was written. It is dropped if the handler fails or the transaction is rolled back.
 */
export type AfterCommit = (work: () => void) => void

/**
 * Handles one event in a short local transaction: at most a second, without network and without a separate transaction.
 * Writes through `tx` take effect exactly once, because the offset moves in the same transaction. An event that can
 * never succeed must throw `PoisonEvent`.
 */
export interface Handle<T> {
  (tx: Transaction<T>, event: BusEvent, afterCommit: AfterCommit): Promise<void>
  /**
   * Returns false for an event type to skip: it is neither handled nor recorded in the inbox. Without this function
   * every type is handled.
   */
  isFor?: (type: string) => boolean
}

/** Consumer group. Its members share one reading of the topic, and each group receives every event. */
export interface Group<T> {
  /** Name of the form `reticle.<service>`. */
  group: string
  topic: Topic
  /** Database of the consuming service, with the tables `inbox` and `dead_events` (`outbox/tables.ts`). */
  db: Kysely<T>
}

export interface Subscription {
  /** Stops after the current event. Further events count as lag. */
  pause: () => void
  resume: () => void
  /** Finishes the current event and releases the partitions, within 5 s. */
  stop: () => Promise<void>
}

/**
 * Carries events from outboxes to groups: in order per key, at least once, and with the inbox once in effect. A new
 * group starts at the earliest event that is kept. See docs/spec/reliability.md#event-bus.
 */
export interface Bus {
  relay: RelayBatch
  /**
   * Calls `handle` for every event of the topic that it handles. Transient errors (`isTransient` of `db/errors.ts`,
   * `EarlyEvent`) block the partition and are retried after 0.2, 1, 5, 15 and then every 30 s. An event that fails five
   * times for another reason is moved to `dead_events`.
   */
  subscribe: <T>(subscriber: Group<T> & { handle: Handle<T> }) => Subscription
  /** Resets a group to `offset` in every partition, and clears its inbox so that events are handled again. */
  replay: <T>(group: Group<T>, offset: number) => Promise<void>
  /**
   * Returns false if a subscription made no turn for 90 s, or for three session timeouts of Kafka if these are longer.
   * It then hangs permanently, and the process should be restarted.
   */
  isAlive: () => boolean
  close: () => Promise<void>
}

/** Receives failures. `about` identifies the event whose handler failed, as fields of a log line. */
export type OnFailure = (error: unknown, about?: Record<string, string>) => void

/** Error of an event that can never be handled; it is moved to `dead_events` at once. */
export class PoisonEvent extends Error {}

/**
 * Error of an event that depends on one which may still arrive in
 * another partition; it is retried like a transient error.
 */
export class EarlyEvent extends Error {}

export interface Route<T> {
  event: EventType
  run: Run<T, unknown>
}

type Run<T, D> = (
  tx: Transaction<T>,
  data: D,
  event: BusEvent,
  afterCommit: AfterCommit,
) => Promise<void>

/** Builds an entry of `routeEvents`: the handler of one event type, which receives parsed data. */
export function onEvent<T, D>(event: EventType<D>, run: Run<T, D>): Route<T> {
  return {
    event: event as EventType,
    run: (tx, data, given, afterCommit) => run(tx, event.data.parse(data), given, afterCommit),
  }
}

/**
 * Combines handlers by event type. The group skips a type without an
 * entry; an unknown version of a known type is a poison event.
 */
export function routeEvents<T>(routes: readonly Route<T>[]): Handle<T> {
  const linesOf = (type: string) => routes.filter(({ event }) => event.type === type)
  const isFor = (type: string) => linesOf(type).length > 0
  const handle: Handle<T> = async (tx, given, afterCommit) => {
    if (!isFor(given.type)) return
    const found = linesOf(given.type).find(({ event }) => event.version === given.version)
    if (!found) throw new PoisonEvent(`version ${given.version} of ${given.type} is not known here`)
    await found.run(tx, given.data, given, afterCommit)
  }
  return Object.assign(handle, { isFor })
}

/**
 * Returns the cause for events that a handler emits: the same user and the same request as those of the handled event.
 */
export function causeOf({ actor, caller, ...event }: BusEvent): EventCause {
  const { request_id, traceparent, organization_id } = event
  const { token_id, ...means } = caller ?? {}
  const cause = { request_id, traceparent, organization_id, ...means }
  if (!actor) return { principal: null, ...cause }
  const { id, ...names } = actor
  const token = token_id === undefined ? {} : { token: { id: token_id } }
  return { principal: { user_id: id, ...names, ...token }, ...cause }
}
