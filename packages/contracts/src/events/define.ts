import type { z } from 'zod'

/**
 * A domain event. A name with a colon (`update:project`) is a fact of the contract and may leave the house as a webhook;
 * every other is `<thing>.<past>` and stays inside (`house.md` 4).
 */
export interface EventType<T = unknown> {
  type: string
  /** Raised only by an incompatible change; then both versions are published for one release. */
  version: number
  topic: Topic
  /** Events of one key arrive in order: the row that was locked, e.g. `task:12` (`reliability.md` 4.1). */
  key: (data: T) => string
  /** Where it happened: in this organization, or in none. Absent: whoever emits it says so, if anybody. */
  organization?: (data: T) => number | null
  data: z.ZodType<T>
}

/** Topics and their fixed number of partitions (`reliability.md` 4.2). */
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
