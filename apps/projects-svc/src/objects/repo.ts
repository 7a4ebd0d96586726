import { type Kysely, sql, type Transaction } from 'kysely'
import type { BlobRow, ProjectsDb } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/** Committed before the first byte is written, so that nothing can lie in the store unknown (`reliability.md` 16.1). */
export async function registerPending(
  db: Db,
  blob: Pick<BlobRow, 'key' | 'kind' | 'organization_id'>,
): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ ...blob, state: 'pending' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** To be called in the transaction that begins to refer to the object. False: it was given up before. */
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

/** From now on the sweeper may remove it. */
export async function makeDead(db: Db, key: string): Promise<void> {
  await db
    .updateTable('blobs')
    .set(dead)
    .where('key', '=', key)
    .where('state', '<>', 'dead')
    .execute()
}

/** Those of these objects that are live; none dies before the transaction ends. */
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

/** What was begun and never referred to. */
const pendingMs = 24 * 3_600_000
const batch = 500

/** What was begun and never referred to is given up, and what nothing refers to any more. */
export async function giveUp(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('blobs')
    .set(dead)
    .where('state', '=', 'pending')
    .where('created_date', '<', new Date(now.getTime() - pendingMs))
    .execute()
  for (;;) {
    const found = await db.transaction().execute(giveUpUnused)
    if (found < batch) return
  }
}

/**
 * An object dies with the last asset that has it, whatever deleted that. Locked first and looked at again: a copy may have
 * been made while the lock was waited for. Resolves to how many were looked at.
 */
async function giveUpUnused(tx: Tx): Promise<number> {
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
