import type { EventType, Topic } from '@reticle/contracts/events/define'
import type { Kysely, Transaction } from 'kysely'
import type { Cause } from '../outbox/emit.ts'
import type { BusEvent } from '../outbox/envelope.ts'

export type { Actor, BusEvent, Caller } from '../outbox/envelope.ts'

/** Where a relay takes events from: the outbox of one schema, over the session that holds its lock. */
export interface Outbox {
  schema: string
  session: Kysely<unknown>
}

/**
 * Does one short local transaction's work: at most a second, no network, no transaction of its own. What it writes through
 * `tx` happens exactly once; the offset moves in the same transaction. Throw `PoisonEvent` for what can never succeed.
 */
export interface Handle<T> {
  (tx: Transaction<T>, event: BusEvent): Promise<void>
  /** False for a type that is passed over: no call, no trace of it in the inbox. Without it every type is handled. */
  isFor?: (type: string) => boolean
}

/** A group reads a topic once, however many members share that work; each group gets every event. */
export interface Group<T> {
  /** `reticle.<service>` */
  group: string
  topic: Topic
  /** Of the consuming service: holds its `inbox` and `dead_events` (`outbox/tables.ts`). */
  db: Kysely<T>
}

export interface Subscription {
  /** From the event at hand on nothing is taken; what is not taken counts as lag. */
  pause: () => void
  resume: () => void
  /** Finishes the event at hand, gives partitions back; at most 5 s. */
  stop: () => Promise<void>
}

/**
 * Carries events from outboxes to groups: order per key, at least once, and through the inbox once in effect
 * (`reliability.md` 4 and 5). A new group starts at the earliest event that is kept.
 */
export interface Bus {
  /** Moves a batch of at most `limit` out of the outbox; resolves to how many there were. */
  relay: (outbox: Outbox, limit: number) => Promise<number>
  /**
   * Calls `handle` for every event of the topic that it is for. Errors that pass (`db/errors.ts` isTransient, `EarlyEvent`) hold
   * the partition and are tried again after 0.2, 1, 5, 15 and then every 30 s. An event that fails five times otherwise goes to
   * `dead_events`.
   */
  subscribe: <T>(subscriber: Group<T> & { handle: Handle<T> }) => Subscription
  /** Lets a group read again from `offset` in every partition, forgetting what its inbox knows. */
  replay: <T>(group: Group<T>, offset: number) => Promise<void>
  /**
   * False when a subscription has not gone round for 90 s, or for three session timeouts of Kafka where these are longer:
   * hung for good, so the process is better started anew.
   */
  isAlive: () => boolean
  close: () => Promise<void>
}

/** Told about what failed; `about`: the event whose handler it was, as fields of a log line. */
export type OnFailure = (error: unknown, about?: Record<string, string>) => void

/** Can never be handled, however often: goes to `dead_events` at once. */
export class PoisonEvent extends Error {}

/** Depends on an event that may still arrive, in another partition: handled again later, as after an error that passes. */
export class EarlyEvent extends Error {}

export interface Route<T> {
  event: EventType
  run: (tx: Transaction<T>, data: unknown, event: BusEvent) => Promise<void>
}

/** One line of `route`: what to do about one type of event, its data parsed. */
export function on<T, D>(
  event: EventType<D>,
  run: (tx: Transaction<T>, data: D, event: BusEvent) => Promise<void>,
): Route<T> {
  return {
    event: event as EventType,
    run: (tx, data, given) => run(tx, event.data.parse(data), given),
  }
}

/** Picks by type; types without a line are not for this group. A version nobody knows is poison, never skipped. */
export function route<T>(routes: readonly Route<T>[]): Handle<T> {
  const linesOf = (type: string) => routes.filter(({ event }) => event.type === type)
  const isFor = (type: string) => linesOf(type).length > 0
  const handle = async (tx: Transaction<T>, given: BusEvent) => {
    if (!isFor(given.type)) return
    const found = linesOf(given.type).find(({ event }) => event.version === given.version)
    if (!found) throw new PoisonEvent(`version ${given.version} of ${given.type} is not known here`)
    await found.run(tx, given.data, given)
  }
  return Object.assign(handle, { isFor })
}

/** The cause of what a handler emits in turn: the same user, the same request. */
export function causeOf({ actor, caller, ...event }: BusEvent): Cause {
  const { request_id, traceparent, organization_id } = event
  const { token_id, ...means } = caller ?? {}
  const cause = { request_id, traceparent, organization_id, ...means }
  if (!actor) return { principal: null, ...cause }
  const { id, ...names } = actor
  const token = token_id === undefined ? {} : { token: { id: token_id } }
  return { principal: { user_id: id, ...names, ...token }, ...cause }
}
