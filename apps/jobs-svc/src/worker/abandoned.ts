import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { failLost } from '../leases/ending.ts'
import { findAbandoned, reclaim } from '../leases/lease.ts'
import { lostWorker } from '../operations/failure.ts'

/**
 * Takes up what lost workers had: queued again while attempts are left, else failed. Any worker may do it, also several at
 * once.
 */
export async function recoverAbandoned(
  db: Kysely<RequestsDb>,
  resultTtlHours: number,
): Promise<number> {
  const requeued = await reclaim(db)
  for (const row of await findAbandoned(db)) await failLost(db, row, lostWorker, resultTtlHours)
  return requeued
}
