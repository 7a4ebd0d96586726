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

/** For what can be made again at any time and needs nobody to refer to it. */
export async function registerLive(db: Db, blob: NewBlob): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ ...blob, state: 'live' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** To be called in the transaction that begins to refer to the object. False: it was given up before. */
export async function makeLive(
  db: Db,
  key: string,
  changes: Partial<Pick<BlobRow, 'kind' | 'size' | 'task_id' | 'organization_id'>> = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('blobs')
    .set({ ...changes, state: 'live' })
    .where('key', '=', key)
    .where('state', '<>', 'dead')
    .executeTakeFirst()
  return numUpdatedRows === 1n
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

/** What was written below a prefix that lives on, and nobody refers to: an hour later it goes, with what is written till then. */
export async function registerDead(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into blobs (key, kind, state, dead_date)
    select distinct key, 'upload', 'dead', now() from unnest(${[...keys]}::text[]) as key
    on conflict (key) do update set state = 'dead', dead_date = now()`.execute(db)
}

/** What lives on though the prefix that it lies below does not. */
export async function registerAllLive(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into blobs (key, kind, state)
    select distinct key, 'media', 'live' from unnest(${[...keys]}::text[]) as key
    on conflict (key) do nothing`.execute(db)
}

/** Those of them that have a life of their own. */
export async function makeAllDead(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where((row) => row('key', '=', row.fn.any(row.val([...keys]))))
    .where('state', '<>', 'dead')
    .execute()
}

/** Dead objects that have been removed. */
export async function forgetDead(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db
    .deleteFrom('blobs')
    .where((row) => row('key', '=', row.fn.any(row.val([...keys]))))
    .where('state', '=', 'dead')
    .execute()
}

/** Everything that was kept for a task: its media and the pictures made of them. */
export async function makeTaskDead(db: Db, task_ids: readonly number[]): Promise<void> {
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where((row) => row('task_id', '=', row.fn.any(row.val([...task_ids]))))
    .where('state', '<>', 'dead')
    .execute()
}

/**
 * A result may serve several requests; it dies with the last of them. One that is being written may be gone on with. False: it
 * still serves one.
 */
export async function dropUnusedResult(db: Db, key: string | null): Promise<boolean> {
  if (key === null) return false
  const { numUpdatedRows } = await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where('key', '=', key)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('requests').select('rq_id').where('result_key', '=', key))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('requests').select('rq_id').where(checkpointKey, '=', key))),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const checkpointKey = sql<string>`checkpoint ->> 'key'`

const hourMs = 3_600_000
/** Results and pictures that were begun and never referred to. */
const pendingMs = 24 * hourMs

/** What was begun and never referred to is given up: uploads so long after their last use. */
export async function giveUpPending(db: Db, now: Date, uploadTtlHours: number): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms)
  const lastUse = sql<Date>`coalesce(
    (select used_date from uploads where prefix = blobs.key), blobs.created_date)`
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where('state', '=', 'pending')
    .where((row) =>
      row.or([
        row.and([row('kind', '<>', 'upload'), row('created_date', '<', before(pendingMs))]),
        row.and([row('kind', '=', 'upload'), row(lastUse, '<', before(uploadTtlHours * hourMs))]),
      ]),
    )
    .execute()
}
