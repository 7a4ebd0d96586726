import { type Kysely, sql } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'

/** Depth of the queue, over all tenants and workers. */
export interface QueueDepth {
  queued: number
  started: number
  /** Age of the oldest queued request in seconds; 0 when none is queued. */
  oldest_queued_seconds: number
}

/** Reads the depth by two partial indexes, never the finished requests. */
export async function queueDepth(db: Kysely<RequestsDb>): Promise<QueueDepth> {
  const { rows } = await sql<QueueDepth>`
    select queued, started, oldest_queued_seconds from queue_depth`.execute(db)
  return rows[0] ?? { queued: 0, started: 0, oldest_queued_seconds: 0 }
}
