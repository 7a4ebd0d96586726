import type { z } from 'zod'

/** Kinds of records whose creation, change and deletion are events. */
type RecordKind =
  | 'project'
  | 'task'
  | 'job'
  | 'issue'
  | 'comment'
  | 'organization'
  | 'membership'
  | 'invitation'
  | 'cloudstorage'
  | 'user'
  | 'accesstoken'

/** Name of an event. */
export type EventName =
  | `${'create' | 'update' | 'delete'}:${RecordKind}`
  | 'login:user'
  | 'logout:user'
  | 'reject:login'
  | 'annotations.changed'
  | 'labels.changed'
  | 'project.moved'
  | 'task.moved'
  | 'draft.dropped'
  | 'request.queued'
  | 'request.finished'

/**
 * Domain event. A name with a colon (`update:project`) is part of the public contract and may be sent as a webhook; any
 * other name has the form `<thing>.<past tense>` and is internal.
 */
export interface EventType<T = unknown> {
  type: string
  /** Version, raised only by an incompatible change; both versions are then published for one release. */
  version: number
  topic: Topic
  /** Returns the key within which events keep their order: the row that was locked, such as `task:12`. */
  key: (data: T) => string
  /**
   * Returns the organization of the event, or null for none. If this function
   * is absent, the cause of the event names the organization.
   */
  organization?: (data: T) => number | null
  /** Returns the project that the event belongs to, or null for none; absent for events of other resources. */
  project?: (data: T) => number | null
  data: z.ZodType<T>
}

/** Topics with their fixed numbers of partitions. */
export const topics = { 'reticle.events.v1': 12, 'reticle.requests.v1': 24 } as const
export type Topic = keyof typeof topics

interface EventDefinition<S extends z.ZodType> {
  key: (data: z.output<S>) => string
  organization?: (data: z.output<S>) => number | null
  project?: (data: z.output<S>) => number | null
  data: S
  topic?: Topic
}

export function defineEvent<const S extends z.ZodType>(
  type: EventName,
  definition: EventDefinition<S>,
): EventType<z.output<S>> {
  return createEventType(type, definition)
}

/** Defines an event that is not an `EventName`: for tests of the machinery. */
export function createEventType<const S extends z.ZodType>(
  type: string,
  { key, organization, project, data, topic = 'reticle.events.v1' }: EventDefinition<S>,
): EventType<z.output<S>> {
  return {
    type,
    version: 1,
    topic,
    key,
    organization,
    project,
    data: data as unknown as z.ZodType<z.output<S>>,
  }
}
