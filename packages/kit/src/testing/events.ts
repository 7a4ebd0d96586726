import { randomUUID } from 'node:crypto'
import type { EventType } from '@reticle/contracts/events/define'
import type { Kysely } from 'kysely'
import { runTransaction } from '../bus/attempt.ts'
import type { BusEvent, Handle } from '../bus/bus.ts'

/** Builds an event as the bus delivers it, with data that passed through JSON and by default without an actor. */
export function eventOf<D>(
  event: EventType<D>,
  data: NoInfer<D>,
  given: Partial<BusEvent> = {},
): BusEvent {
  return {
    id: randomUUID(),
    type: event.type,
    version: event.version,
    occurred_date: '2026-03-01T10:00:00.000Z',
    organization_id: event.organization?.(data) ?? null,
    actor: null,
    request_id: 'test',
    key: event.key(data),
    data: JSON.parse(JSON.stringify(data)),
    ...given,
  }
}

/** Delivers an event like the bus: in a transaction, with the work that the handler left after its commit. */
export function deliverEvent<T>(db: Kysely<T>, handle: Handle<T>, event: BusEvent): Promise<void> {
  return runTransaction(db, (tx, afterCommit) => handle(tx, event, afterCommit))
}

/** Returns a function that builds an event of a type and delivers it with `deliverEvent`. */
export function createDeliverer<T>(db: Kysely<T>, handle: Handle<T>) {
  return <D>(event: EventType<D>, data: NoInfer<D>, given: Partial<BusEvent> = {}): Promise<void> =>
    deliverEvent(db, handle, eventOf(event, data, given))
}
