import { type Kysely, sql, type Transaction } from 'kysely'
import type { AssetBlobRow, ProjectsDb } from '../../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/**
 * Registers an object. The row is committed before the first byte is written, so that the store holds no unknown
 * objects (`docs/spec/reliability.md#object-storage`).
 */
export async function registerPending(
  db: Db,
  blob: Pick<AssetBlobRow, 'key' | 'kind' | 'organization_id'>,
): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ ...blob, state: 'pending' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Marks an object as live in the transaction that first references it. Returns false when it was already dead. */
export async function makeLive(tx: Tx, key: string, size: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('blobs')
    .set({ state: 'live', size })
    .where('key', '=', key)
    .where('state', '<>', 'dead')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const dead = { state: 'dead', dead_date: sql<Date>`now()` } as const

/** Marks an object as dead, so that the sweeper may delete it. */
export async function makeDead(db: Db, key: string): Promise<void> {
  await db
    .updateTable('blobs')
    .set(dead)
    .where('key', '=', key)
    .where('state', '<>', 'dead')
    .execute()
}

/** Returns the live ones among these objects; they cannot become dead before the transaction ends. */
export async function lockLive(tx: Tx, keys: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('blobs')
    .select('key')
    .where((where) => where('key', '=', where.fn.any(where.val([...keys]))))
    .where('state', '=', 'live')
    .orderBy('key')
    .forShare()
    .execute()
  return new Set(rows.map(({ key }) => key))
}

/** Age at which an unreferenced upload is dropped. */
const pendingMs = 24 * 3_600_000
const batch = 500

/** Marks abandoned uploads and unreferenced objects as dead. */
export async function markUnusedDead(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('blobs')
    .set(dead)
    .where('state', '=', 'pending')
    .where('created_date', '<', new Date(now.getTime() - pendingMs))
    .execute()
  for (;;) {
    const found = await db.transaction().execute(markUnusedBatchDead)
    if (found < batch) return
  }
}

/**
 * Marks objects without assets as dead. Rows are locked first and checked again, because a copy may have been
 * inserted while the lock was awaited. Returns the number of checked rows.
 */
async function markUnusedBatchDead(tx: Tx): Promise<number> {
  const unused = sql<boolean>`not exists (select from assets where assets.key = blobs.key)`
  const rows = await tx
    .selectFrom('blobs')
    .select('key')
    .where('state', '=', 'live')
    .where(unused)
    .limit(batch)
    .forUpdate()
    .skipLocked()
    .execute()
  const keys = rows.map(({ key }) => key)
  await tx
    .updateTable('blobs')
    .set(dead)
    .where((where) => where('key', '=', where.fn.any(where.val(keys))))
    .where(unused)
    .execute()
  return keys.length
}
