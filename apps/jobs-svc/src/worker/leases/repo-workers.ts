import { type Kysely, sql } from 'kysely'
import type { RequestsDb } from '../../db/schema.ts'

type Db = Kysely<RequestsDb>

/** A worker without a heartbeat for this long counts as dead, as do its leases. */
const gone = sql`now() - interval '60 seconds'`

/** SQL: total slots of all living workers. */
export const livingSlots = sql<number>`(
  select coalesce(sum(slots), 0) from workers where seen_date > ${gone})`

/** Records the heartbeat of a worker, and deletes the rows of dead ones. */
export async function noteWorker(db: Db, worker: string, slots: number): Promise<void> {
  const seen_date = sql<Date>`now()`
  await db
    .insertInto('workers')
    .values({ worker, slots, seen_date })
    .onConflict((conflict) => conflict.column('worker').doUpdateSet({ slots, seen_date }))
    .execute()
  await db.deleteFrom('workers').where('seen_date', '<', sql<Date>`${gone}`).execute()
}

/** Deletes the row of a stopping worker, so that its slots stop counting at once. */
export async function forgetWorker(db: Db, worker: string): Promise<void> {
  await db.deleteFrom('workers').where('worker', '=', worker).execute()
}
