import { type Kysely, sql } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'

/** How much there is to do, over all workers (`reliability.md` 6.3). */
export interface QueueDepth {
  queued: number
  started: number
  /** Age of the oldest request that waits, in seconds; 0 when none does. */
  oldest_queued_seconds: number
}

/**
 * The one value that the autoscaler of the workers reads, `queued + started`: divided by the slots of a worker it says how
 * many workers are wanted. The text is KEDA's `query` for its `postgresql` trigger; the role that writes to the schema may
 * read it.
 */
export const demandQuery = 'select demand from requests.queue_depth'

/** Reads two partial indexes, never the finished requests. */
export async function queueDepth(db: Kysely<RequestsDb>): Promise<QueueDepth> {
  const { rows } = await sql<QueueDepth>`
    select queued, started, oldest_queued_seconds from queue_depth`.execute(db)
  return rows[0] ?? { queued: 0, started: 0, oldest_queued_seconds: 0 }
}
