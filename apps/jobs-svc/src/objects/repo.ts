import { type Insertable, type Kysely, sql } from 'kysely'
import type { BlobRow, BlobsTable, RequestsDb } from '../db/schema.ts'

type Db = Kysely<RequestsDb>
type NewBlob = Omit<Insertable<BlobsTable>, 'state'>

/** Committed before the first byte is written, so that nothing can lie in the store unknown (`reliability.md` 16.1). */
export async function registerPending(db: Db, blob: NewBlob): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ ...blob, state: 'pending' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** To be called in the transaction that begins to refer to the object. */
export async function makeLive(
  db: Db,
  key: string,
  changes: Partial<Pick<BlobRow, 'kind' | 'size' | 'task_id' | 'organization_id'>> = {},
): Promise<void> {
  await db
    .updateTable('blobs')
    .set({ ...changes, state: 'live' })
    .where('key', '=', key)
    .execute()
}

/** From now on the sweeper may remove it. */
export async function makeDead(db: Db, key: string): Promise<void> {
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where('key', '=', key)
    .where('state', '<>', 'dead')
    .execute()
}

/** Everything that was kept for a task: its media and the pictures made of them. */
export async function makeTaskDead(db: Db, task_ids: readonly number[]): Promise<void> {
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where('task_id', 'in', task_ids)
    .where('state', '<>', 'dead')
    .execute()
}

/** A result may serve several requests; it dies with the last of them. */
export async function dropUnusedResult(db: Db, key: string | null): Promise<void> {
  if (key === null) return
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where('key', '=', key)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('requests').select('rq_id').where('result_key', '=', key))),
    )
    .execute()
}
