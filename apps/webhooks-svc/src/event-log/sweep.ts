import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { deleteEventsBefore } from './repo.ts'

const dayMs = 86_400_000

/** Deletes events that are older than the retention time. */
export async function deleteOldEvents(
  db: Kysely<WebhooksDb>,
  now: Date,
  keptDays: number,
): Promise<void> {
  await deleteEventsBefore(db, new Date(now.getTime() - keptDays * dayMs))
}
