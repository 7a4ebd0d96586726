import { type Kysely, sql } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'

type Db = Kysely<RequestsDb>

/** A worker that has not been seen for so long is gone, as its leases are. */
const gone = sql`now() - interval '60 seconds'`

/** SQL: slots of all living workers. */
export const livingSlots = sql<number>`(
  select coalesce(sum(slots), 0) from workers where seen_date > ${gone})`

/** Says that a worker lives, and forgets those that have not said so for long. */
export async function noteWorker(db: Db, worker: string, slots: number): Promise<void> {
  const seen_date = sql<Date>`now()`
  await db
    .insertInto('workers')
    .values({ worker, slots, seen_date })
    .onConflict((conflict) => conflict.column('worker').doUpdateSet({ slots, seen_date }))
    .execute()
  await db.deleteFrom('workers').where('seen_date', '<', sql<Date>`${gone}`).execute()
}

/** A worker that stops takes its slots with it at once. */
export async function forgetWorker(db: Db, worker: string): Promise<void> {
  await db.deleteFrom('workers').where('worker', '=', worker).execute()
}
