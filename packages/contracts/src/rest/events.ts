import { z } from 'zod'
import { filter, integer, rawText, timestamp } from './common.ts'
import { endOfDay, moment, startOfDay } from './moments.ts'

/** The event log. See docs/spec/workspace.md#event-log. */

/** Scopes that clients may record; the server records all others. See docs/spec/workspace.md#client-events. */
export const clientScopes: readonly string[] = [
  'load:cvat',
  'load:service',
  'load:job',
  'save:job',
  'load:workspace',
  'send:exception',
  'join:objects',
  'change:frame',
  'draw:object',
  'paste:object',
  'copy:object',
  'propagate:object',
  'drag:object',
  'resize:object',
  'delete:object',
  'merge:objects',
  'split:objects',
  'group:objects',
  'slice:object',
  'zoom:image',
  'fit:image',
  'rotate:image',
  'action:undo',
  'action:redo',
  'debug:info',
  'run:annotations_action',
  'click:element',
  'user:activity',
]

/** Columns of the exported file, in order. */
export const eventColumns = [
  'scope',
  'obj_name',
  'obj_id',
  'obj_val',
  'source',
  'timestamp',
  'count',
  'duration',
  'project_id',
  'task_id',
  'job_id',
  'user_id',
  'user_name',
  'user_email',
  'org_id',
  'org_slug',
  'payload',
  'access_token_id',
] as const

const maybe = <const S extends z.ZodType>(schema: S) => schema.nullable().default(null)
const nameLength = 1024
const valueLength = 1_000_000

const eventFields = {
  scope: rawText(nameLength),
  obj_name: maybe(rawText(nameLength)),
  obj_id: maybe(integer),
  obj_val: maybe(rawText(valueLength)),
  timestamp: moment(),
  count: maybe(integer),
  /** Milliseconds. */
  duration: z.preprocess((given) => given ?? 0, integer.pipe(z.int().min(0))).default(0),
  project_id: maybe(integer),
  task_id: maybe(integer),
  job_id: maybe(integer),
  /** JSON as text. */
  payload: maybe(rawText(valueLength)),
}

/** Event recorded by a client. Its user, organization and source follow from the request. */
export const clientEvent = z.object(eventFields).meta({ id: 'ClientEvent' })

export const clientEvents = z
  .object({
    /** Time of sending by the clock of the client. */
    timestamp: moment(),
    events: z.array(clientEvent).default([]),
    /** Last event of the previous call, from which working time is counted. */
    previous_event: maybe(clientEvent),
  })
  .meta({ id: 'ClientEvents' })

/** Accepted event: its time by the clock of the server, its user and organization from the request. */
export const acceptedEvent = z
  .object({
    scope: z.string(),
    obj_name: z.string().nullable(),
    obj_id: z.int().nullable(),
    obj_val: z.string().nullable(),
    source: z.string(),
    timestamp,
    count: z.int().nullable(),
    duration: z.int(),
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    job_id: z.int().nullable(),
    user_id: z.int(),
    user_name: z.string(),
    user_email: z.string(),
    org_id: z.int().nullable(),
    org_slug: z.string().nullable(),
    payload: z.string().nullable(),
  })
  .meta({ id: 'AcceptedEvent' })

export const acceptedEvents = z
  .object({ timestamp, events: z.array(acceptedEvent) })
  .meta({ id: 'AcceptedEvents' })

/** Part of the log to export; both moments are included. */
export const exportEventsQuery = z.object({
  org_id: filter(integer),
  project_id: filter(integer),
  task_id: filter(integer),
  job_id: filter(integer),
  user_id: filter(integer),
  from: filter(moment(startOfDay)),
  to: filter(moment(endOfDay)),
  filename: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: filter(integer),
})

/**
 * Query of the deprecated export, which also takes `query_id` to read
 * the progress and `action=download` to fetch the file.
 */
export const getEventsQuery = exportEventsQuery.extend({
  action: z.string().optional(),
  query_id: z.string().max(255).optional(),
})
export const queryId = z.object({ query_id: z.string() }).meta({ id: 'QueryId' })

/** Part of the log that the caller may read. */
export const eventFilter = z
  .object({
    org_id: z.int().nullable(),
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    job_id: z.int().nullable(),
    user_id: z.int().nullable(),
    from: timestamp.nullable(),
    to: timestamp.nullable(),
    /** Whether only events outside of organizations are included. */
    is_personal: z.boolean().optional(),
  })
  .meta({ id: 'EventFilter' })

export type ClientEvent = z.infer<typeof clientEvent>
export type ClientEvents = z.infer<typeof clientEvents>
export type AcceptedEvents = z.infer<typeof acceptedEvents>
export type EventFilter = z.infer<typeof eventFilter>
