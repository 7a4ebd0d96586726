import { z } from 'zod'
import { readTraceparent } from '../observe/traces.ts'

/** Who caused an event, as receivers see them. */
const actor = z.object({
  id: z.int(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
})
export type Actor = z.infer<typeof actor>

/** By what means somebody called, for the records of an audit; never part of what receivers are told. */
const caller = z.object({
  address: z.string().optional(),
  user_agent: z.string().optional(),
  /** The access token that was presented. */
  token_id: z.int().optional(),
})
export type Caller = z.infer<typeof caller>

/** What travels beside the data of an event, on both buses as text (`reliability.md` 4.1). */
export interface Headers {
  'event-id': string
  'event-type': string
  'event-version': string
  /** ISO 8601, UTC. */
  'occurred-date': string
  /** Absent outside of organizations. */
  'org-id'?: string
  /** JSON: the acting user or null. */
  actor: string
  'request-id': string
  /** JSON: by what means the actor called; absent where nothing is known of it. */
  caller?: string
  /** The span that wrote the event, where traces are recorded. */
  traceparent?: string
}

/** One event as a handler gets it: the envelope is checked, `data` is what the handler has to parse. */
export interface BusEvent {
  id: string
  type: string
  version: number
  occurred_date: string
  organization_id: number | null
  actor: Actor | null
  request_id: string
  caller?: Caller
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
  traceparent: z.unknown().optional().transform(readTraceparent), // a bad one is no reason to stop an event
})

/** @throws ZodError (or SyntaxError) where the envelope is not one of ours: such an event is poison. */
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
