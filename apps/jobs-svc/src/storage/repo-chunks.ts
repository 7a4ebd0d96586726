import { type Kysely, sql, type Transaction } from 'kysely'
import type { ChunkRow, RequestsDb } from '../db/schema.ts'
import { makeDead, makeLive } from './repo-objects.ts'

type Db = Kysely<RequestsDb>
type Tx = Transaction<RequestsDb>
type Key = Pick<ChunkRow, 'task_id' | 'name'>

/** Chunk that exists. */
export interface StoredChunk {
  object_key: string
  /** Size in bytes. */
  size: number
  checksum: string
}

/** Claim to make a chunk; no other process makes it until the lease has ended. */
export interface ChunkClaim extends Key {
  data_revision: number
  /** UUID of this attempt. */
  builder: string
}

/** Finds a stored chunk and records its use, to the hour. */
export async function findChunk(db: Db, { task_id, name }: Key): Promise<StoredChunk | undefined> {
  const { rows } = await sql<StoredChunk & { is_due: boolean }>`
    select object_key, size::float8 as size, checksum, used_date < now() - interval '1 hour' as is_due
    from chunks where task_id = ${task_id} and name = ${name} and object_key is not null`.execute(
    db,
  )
  const [row] = rows
  if (!row) return undefined
  const { is_due, ...found } = row
  if (is_due)
    await db
      .updateTable('chunks')
      .set({ used_date: sql<Date>`now()` })
      .where('object_key', '=', found.object_key)
      .execute()
  return found
}

/** Claims a chunk. Returns false when it exists, or another process is making it. */
export async function claimChunk(
  db: Db,
  { task_id, name, data_revision, builder }: ChunkClaim,
  leaseMs: number,
): Promise<boolean> {
  const until = sql`now() + ${leaseMs} * interval '1 millisecond'`
  const { rows } = await sql`
    insert into chunks (task_id, name, data_revision, builder, leased_until_date)
    values (${task_id}, ${name}, ${data_revision}, ${builder}, ${until})
    on conflict (task_id, name) do update
      set builder = excluded.builder, leased_until_date = excluded.leased_until_date
      where chunks.object_key is null and chunks.leased_until_date < now()
    returning name`.execute(db)
  return rows.length > 0
}

/** Extends a claim. Returns false when the lease had ended and another process claimed the chunk. */
export async function renewClaim(db: Db, claim: ChunkClaim, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await claimed(db, claim)
    .set({ leased_until_date: sql<Date>`now() + ${leaseMs} * interval '1 millisecond'` })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Publishes the chunk. Returns false when another process has claimed it. */
export async function storeChunk(tx: Tx, claim: ChunkClaim, stored: StoredChunk): Promise<boolean> {
  const { numUpdatedRows } = await claimed(tx, claim)
    .set({ ...stored, builder: null, leased_until_date: null, used_date: sql<Date>`now()` })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Adds a chunk that was made before its first read. An existing or claimed chunk stays. */
export async function addChunk(
  tx: Tx,
  { task_id, name, data_revision }: Omit<ChunkClaim, 'builder'>,
  stored: StoredChunk,
): Promise<void> {
  const { object_key: key, size } = stored
  if (!(await makeLive(tx, key, { size }))) return
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('chunks')
    .values({ task_id, name, data_revision, ...stored })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) await makeDead(tx, key)
}

const claimed = (db: Db, { task_id, name, builder }: ChunkClaim) =>
  db
    .updateTable('chunks')
    .where('task_id', '=', task_id)
    .where('name', '=', name)
    .where('builder', '=', builder)

/** Releases the claim of a chunk that was not made, so that another caller may retry. */
export async function releaseClaim(db: Db, { task_id, name, builder }: ChunkClaim): Promise<void> {
  await db
    .deleteFrom('chunks')
    .where('task_id', '=', task_id)
    .where('name', '=', name)
    .where('builder', '=', builder)
    .execute()
}

/** Drops the row of a chunk whose object is missing. */
export function dropChunk(db: Db, { object_key }: StoredChunk): Promise<void> {
  return drop(db, sql`object_key = ${object_key}`)
}

/** Drops chunks of earlier revisions of the media. */
export function dropOlderChunks(db: Db, { task_id, data_revision }: ChunkClaim): Promise<void> {
  return drop(db, sql`task_id = ${task_id} and data_revision < ${data_revision}`)
}

/** Drops chunks that were not used since `before`. */
export function dropUnusedChunks(db: Db, before: Date): Promise<void> {
  return drop(db, sql`used_date < ${before}`)
}

/** Drops chunks of deleted tasks; their objects are deleted with all others of the tasks. */
export async function dropChunksOf(db: Db, task_ids: readonly number[]): Promise<void> {
  await db
    .deleteFrom('chunks')
    .where((row) => row('task_id', '=', row.fn.any(row.val([...task_ids]))))
    .execute()
}

/** Drops rows and marks their objects as deleted in one transaction, so that no unreferenced object is left. */
async function drop(db: Db, those: ReturnType<typeof sql>): Promise<void> {
  const run = async (tx: Db) => {
    const { rows } = await sql<{ object_key: string | null }>`
      delete from chunks where ${those} returning object_key`.execute(tx)
    for (const { object_key } of rows) if (object_key !== null) await makeDead(tx, object_key)
  }
  await (db.isTransaction ? run(db) : db.transaction().execute(run))
}
