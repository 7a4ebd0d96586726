import { z } from 'zod'
import { readTraceparent } from '../observe/traces.ts'

/** User who caused an event, as receivers of webhooks see it. */
const actor = z.object({
  id: z.int(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
})
export type EventActor = z.infer<typeof actor>

/** Client of a call, for audit records; never sent to receivers. */
const caller = z.object({
  address: z.string().optional(),
  user_agent: z.string().optional(),
  /** Id of the access token of the call. */
  token_id: z.int().optional(),
})
export type EventCaller = z.infer<typeof caller>

/** Headers of an event, which both buses carry as text. */
export interface Headers {
  'event-id': string
  'event-type': string
  'event-version': string
  /** ISO 8601 in UTC. */
  'occurred-date': string
  /** Absent outside of organizations. */
  'org-id'?: string
  /** JSON of the acting user, or null. */
  actor: string
  'request-id': string
  /** JSON of the client; absent if it is unknown. */
  caller?: string
  /** Span that wrote the event, if traces are recorded. */
  traceparent?: string
}

/** Event as a handler receives it: the envelope is checked, and the handler must parse `data`. */
export interface BusEvent {
  id: string
  type: string
  version: number
  occurred_date: string
  organization_id: number | null
  actor: EventActor | null
  request_id: string
  caller?: EventCaller
  traceparent?: string
  key: string
  data: unknown
}

const headers = z.object({
  'event-id': z.uuid(),
  'event-type': z.string().min(1),
  'event-version': z.coerce.number().int().min(1),
  'occurred-date': z.iso.datetime(),
  'org-id': z.coerce.number().int().optional(),
  actor: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(actor.nullable()),
  'request-id': z.string(),
  caller: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(caller)
    .optional(),
  traceparent: z.unknown().optional().transform(readTraceparent), // an invalid one must not block an event
})

/**
 * Parses the envelope of an event.
 * @throws ZodError or SyntaxError if it is invalid; such an event is poison
 */
export function readEnvelope(key: string, sent: unknown, data: unknown): BusEvent {
  const read = headers.parse(sent)
  return {
    id: read['event-id'],
    type: read['event-type'],
    version: read['event-version'],
    occurred_date: read['occurred-date'],
    organization_id: read['org-id'] ?? null,
    actor: read.actor,
    request_id: read['request-id'],
    caller: read.caller,
    traceparent: read.traceparent,
    key,
    data,
  }
}
