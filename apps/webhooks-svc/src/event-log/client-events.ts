import {
  type AcceptedEvents,
  type ClientEvent,
  type ClientEvents,
  clientScopes,
} from '@reticle/contracts/rest/events'
import { DomainError, invalid } from '@reticle/kit'
import type { NewEvent } from './repo.ts'
import { actorColumns, type Origin, serverEvents } from './server-events.ts'
import { workingTimes } from './working-time.ts'

/** Maximum number of events in one call. */
export const mostEvents = 10_000

/** Scope of heartbeats of active users. They count as working time but are not stored. */
const heartbeat = 'user:activity'

/**
 * Checks events of a client before any is stored.
 *
 * @throws DomainError too_large for more than 10,000 events; invalid for a scope that only the server may use, or a
 * payload that is not JSON
 */
export function assertAcceptable({ events }: ClientEvents): void {
  if (events.length > mostEvents)
    throw new DomainError('too_large', `At most ${mostEvents} events are taken at once.`)
  for (const [index, { scope, payload }] of events.entries()) {
    const place = `events[${index}]`
    if (!clientScopes.includes(scope))
      throw invalid({
        scope: `${place}: "${scope.slice(0, 100)}" is not a scope of clients; these are ${clientScopes.join(', ')}.`,
      })
    if (payload !== null && !isJson(payload))
      throw invalid({ payload: `${place}: JSON as text is expected.` })
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the rows of a call: the events of the client, then the working time derived from them. */
export function rowsOfCall(body: ClientEvents, origin: Origin): NewEvent[] {
  const shift = shiftOf(body, origin)
  const kept = body.events
    .map((event, ordinal) => ({ event, ordinal }))
    .filter(({ event }) => event.scope !== heartbeat)
  const rows = kept.map(
    ({ event, ordinal }): NewEvent => ({
      ...event,
      ...actorColumns(origin),
      event_id: origin.event_id,
      ordinal,
      source: 'client',
      timestamp: shift(event),
      org_id: origin.organization_id,
      org_slug: null,
    }),
  )
  return [...rows, ...workRows(body, origin)]
}

function workRows(body: ClientEvents, origin: Origin): NewEvent[] {
  const workEvents = workingTimes(body).map(({ duration, ...place }) => ({
    scope: 'send:working_time',
    obj_name: 'working_time',
    obj_val: String(duration),
    ...place,
    count: 1,
    duration,
    payload: { working_time: duration },
  }))
  return serverEvents(origin, workEvents, body.events.length)
}

/** Builds the response body: timestamps by the server's clock, user and organization of the request. */
export function acceptedOf(
  body: ClientEvents,
  origin: Origin,
  actor: NonNullable<Origin['actor']> & { org_slug: string | null },
): AcceptedEvents {
  const shift = shiftOf(body, origin)
  const whose = {
    user_id: actor.id,
    user_name: actor.username,
    user_email: actor.email,
    org_id: origin.organization_id,
    org_slug: actor.org_slug,
  }
  return {
    timestamp: origin.timestamp,
    events: body.events.map((event) => ({
      ...event,
      source: 'client',
      timestamp: shift(event),
      ...whose,
    })),
  }
}

/**
 * Corrects timestamps by the error of the client's clock, which is the same for all events of a call. No event may be
 * later than the call.
 */
function shiftOf(sent: Pick<ClientEvents, 'timestamp'>, { timestamp }: Pick<Origin, 'timestamp'>) {
  const received = Date.parse(timestamp)
  const error = received - Date.parse(sent.timestamp)
  return (event: Pick<ClientEvent, 'timestamp'>) => {
    const time = Date.parse(event.timestamp) + error
    return new Date(Math.min(Math.max(time, 0), received)).toISOString()
  }
}
