import { type CallContext, signedIn } from '@reticle/kit'
import type { BusEvent, EventCaller } from '@reticle/kit/bus/bus'
import type { NewEvent } from './repo.ts'

/** Cause of rows of the event log: the user, the time and the request. */
export interface Origin {
  /** Id shared by all rows of the event. */
  event_id: string
  /** ISO 8601 time. */
  timestamp: string
  actor: { id: number; username: string; email: string } | null
  organization_id: number | null
  request_id: string
  caller: EventCaller
}

/** A server event without the columns that its origin supplies. */
export interface LogEvent {
  scope: string
  obj_name?: string | null
  obj_id?: number | null
  obj_val?: string | null
  count?: number | null
  /** Duration in milliseconds. */
  duration?: number
  project_id?: number | null
  task_id?: number | null
  job_id?: number | null
  payload?: Record<string, unknown>
}

export function originOfEvent({ id, occurred_date, caller, ...event }: BusEvent): Origin {
  const { actor, organization_id, request_id } = event
  const when = { event_id: id, timestamp: occurred_date }
  return { ...when, actor, organization_id, request_id, caller: caller ?? {} }
}

export function originOfCall(
  context: CallContext,
  when: Pick<Origin, 'event_id' | 'timestamp' | 'organization_id'>,
): Origin {
  const { user_id: id, username, email, token } = signedIn(context)
  const { request_id, address, user_agent } = context
  const caller = { address, user_agent, token_id: token?.id }
  return { ...when, actor: { id, username, email }, request_id, caller }
}

/**
 * Builds rows of server events. Each payload contains the request that caused the event.
 *
 * @param first ordinal of the first row
 */
export function serverEvents(origin: Origin, events: readonly LogEvent[], first = 0): NewEvent[] {
  const { event_id, timestamp, organization_id, request_id, caller } = origin
  const request = { id: request_id, user_agent: caller.user_agent ?? null }
  return events.map(({ scope, payload, ...given }, index) => ({
    obj_name: null,
    obj_id: null,
    obj_val: null,
    count: null,
    duration: 0,
    project_id: null,
    task_id: null,
    job_id: null,
    ...given,
    ...actorColumns(origin),
    event_id,
    ordinal: first + index,
    scope,
    source: 'server',
    timestamp,
    org_id: organization_id,
    org_slug: null,
    payload: JSON.stringify({ ...payload, request }),
  }))
}

/** Returns the columns about the user, access token and client address. */
export function actorColumns({ actor, caller }: Pick<Origin, 'actor' | 'caller'>) {
  return {
    user_id: actor?.id ?? null,
    user_name: actor?.username ?? null,
    user_email: actor?.email ?? null,
    access_token_id: caller.token_id ?? null,
    address: caller.address ?? null,
  }
}
