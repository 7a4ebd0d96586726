import { z } from 'zod'
import { filter, integer, rawText, timestamp } from './common.ts'
import { endOfDay, moment, startOfDay } from './moments.ts'

/** The log of events: `spec/api-workspace.md` 6. */

/** What clients may tell; everything else is written by the server (6.1). */
export const clientScopes: readonly string[] = [
  ...['load:cvat', 'load:service', 'load:job', 'save:job', 'load:workspace', 'send:exception'],
  ...['join:objects', 'change:frame', 'draw:object', 'paste:object', 'copy:object'],
  ...['propagate:object', 'drag:object', 'resize:object', 'delete:object', 'merge:objects'],
  ...['split:objects', 'group:objects', 'slice:object', 'zoom:image', 'fit:image', 'rotate:image'],
  ...['action:undo', 'action:redo', 'debug:info', 'run:annotations_action', 'click:element'],
  'user:activity',
]

/** Columns of the exported file, in its order (6.2). */
export const eventColumns = [
  ...(['scope', 'obj_name', 'obj_id', 'obj_val', 'source', 'timestamp', 'count'] as const),
  ...(['duration', 'project_id', 'task_id', 'job_id', 'user_id', 'user_name'] as const),
  ...(['user_email', 'org_id', 'org_slug', 'payload', 'access_token_id'] as const),
] as const

const maybe = <const S extends z.ZodType>(schema: S) => schema.nullable().default(null)
const nameLength = 1024
const valueLength = 1_000_000

const told = {
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

/** What a client says of one event; whose it is and from where follows from the request. */
export const clientEvent = z.object(told).meta({ id: 'ClientEvent' })

export const clientEvents = z
  .object({
    /** When it was sent, by the client's clock. */
    timestamp: moment(),
    events: z.array(clientEvent).default([]),
    /** The last event of the call before this one: working time begins there. */
    previous_event: maybe(clientEvent),
  })
  .meta({ id: 'ClientEvents' })

/** An event as it was accepted: its time by our clock, its user and organization those of the request. */
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

/** Which part of the log is wanted (6.3); both moments belong to it. */
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

/** The deprecated way: the same, then `query_id` to ask how it goes, and `action=download` to fetch it. */
export const getEventsQuery = exportEventsQuery.extend({
  action: z.string().optional(),
  query_id: z.string().max(255).optional(),
})
export const queryId = z.object({ query_id: z.string() }).meta({ id: 'QueryId' })

/** A part of the log that somebody may read. */
export const eventFilter = z
  .object({
    org_id: z.int().nullable(),
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    job_id: z.int().nullable(),
    user_id: z.int().nullable(),
    from: timestamp.nullable(),
    to: timestamp.nullable(),
    /** Only what belongs to no organization. */
    is_personal: z.boolean().optional(),
  })
  .meta({ id: 'EventFilter' })

export type ClientEvent = z.infer<typeof clientEvent>
export type ClientEvents = z.infer<typeof clientEvents>
export type AcceptedEvents = z.infer<typeof acceptedEvents>
export type EventFilter = z.infer<typeof eventFilter>
