import type { z } from 'zod'

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
  data: z.ZodType<T>
}

/** Topics with their fixed numbers of partitions. */
export const topics = { 'reticle.events.v1': 12, 'reticle.requests.v1': 24 } as const
export type Topic = keyof typeof topics

interface Definition<S extends z.ZodType> {
  key: (data: z.output<S>) => string
  organization?: (data: z.output<S>) => number | null
  data: S
  topic?: Topic
}

export function defineEvent<const S extends z.ZodType>(
  type: string,
  { key, organization, data, topic = 'reticle.events.v1' }: Definition<S>,
): EventType<z.output<S>> {
  return {
    type,
    version: 1,
    topic,
    key,
    organization,
    data: data as unknown as z.ZodType<z.output<S>>,
  }
}
