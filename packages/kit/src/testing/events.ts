import { randomUUID } from 'node:crypto'
import type { EventType } from '@reticle/contracts/events/define'
import type { Kysely } from 'kysely'
import type { BusEvent, Handle } from '../bus/bus.ts'

/** An event as the bus hands it over, with data that has been JSON; nobody caused it unless told otherwise. */
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

/** Does what the bus does with an event of a group: `handle` in a transaction. */
export function delivering<T>(db: Kysely<T>, handle: Handle<T>) {
  return <D>(event: EventType<D>, data: NoInfer<D>, given: Partial<BusEvent> = {}): Promise<void> =>
    db.transaction().execute((tx) => handle(tx, eventOf(event, data, given)))
}
