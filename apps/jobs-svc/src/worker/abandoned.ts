import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { failLost } from '../leases/ending.ts'
import { findAbandoned, requeueLost } from '../leases/lease.ts'
import { lostWorker } from '../operations/failure.ts'

/**
 * Requeues the requests of lost workers while attempts are left, else fails them. Any worker may call it, also several
 * concurrently.
 */
export async function recoverAbandoned(
  db: Kysely<RequestsDb>,
  resultTtlHours: number,
): Promise<number> {
  const requeued = await requeueLost(db)
  for (const row of await findAbandoned(db)) await failLost(db, row, lostWorker, resultTtlHours)
  return requeued
}
