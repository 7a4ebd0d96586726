import { type Insertable, type Kysely, sql } from 'kysely'
import type { BlobRow, BlobsTable, RequestsDb } from '../db/schema.ts'

type Db = Kysely<RequestsDb>
type NewBlob = Omit<Insertable<BlobsTable>, 'state'>

/** Registers an object before its first byte is written, so that the store never contains unregistered objects. */
export async function registerPending(db: Db, blob: NewBlob): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ ...blob, state: 'pending' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Registers an object that is live without a reference, because it can be made again at any time. */
export async function registerLive(db: Db, blob: NewBlob): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ ...blob, state: 'live' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Marks an object as live, in the transaction that starts to refer to it. Returns false when it was already marked as
 * dead.
 */
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

/** Marks an object as dead; the sweeper removes it later. */
export async function makeDead(db: Db, key: string): Promise<void> {
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where('key', '=', key)
    .where('state', '<>', 'dead')
    .execute()
}

/**
 * Registers objects below a live prefix as dead. The sweeper removes them an hour later, with all that is written until
 * then.
 */
export async function registerDead(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into blobs (key, kind, state, dead_date)
    select distinct key, 'upload', 'dead', now() from unnest(${[...keys]}::text[]) as key
    on conflict (key) do update set state = 'dead', dead_date = now()`.execute(db)
}

/** Registers objects as live whose prefix is dead. */
export async function registerAllLive(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into blobs (key, kind, state)
    select distinct key, 'media', 'live' from unnest(${[...keys]}::text[]) as key
    on conflict (key) do nothing`.execute(db)
}

/** Marks the registered ones of these objects as dead. */
export async function makeAllDead(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where((row) => row('key', '=', row.fn.any(row.val([...keys]))))
    .where('state', '<>', 'dead')
    .execute()
}

/** Deletes the rows of dead objects that were removed. */
export async function forgetDead(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db
    .deleteFrom('blobs')
    .where((row) => row('key', '=', row.fn.any(row.val([...keys]))))
    .where('state', '=', 'dead')
    .execute()
}

/** Marks all objects of tasks as dead: their media and generated pictures. */
export async function makeTaskDead(db: Db, task_ids: readonly number[]): Promise<void> {
  await db
    .updateTable('blobs')
    .set({ state: 'dead', dead_date: sql<Date>`now()` })
    .where((row) => row('task_id', '=', row.fn.any(row.val([...task_ids]))))
    .where('state', '<>', 'dead')
    .execute()
}

/**
 * Marks a result as dead unless a request refers to it, also as an unfinished archive to resume. Returns false while
 * one does.
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
/** Lifetime of unfinished results and pictures without a reference. */
const pendingMs = 24 * hourMs

/** Marks unreferenced pending objects as dead; uploads after a time without use. */
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
