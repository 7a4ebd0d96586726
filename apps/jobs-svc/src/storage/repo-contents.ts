import { type Kysely, sql, type Transaction } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'

/**
 * Stored files by content. While a row of `contents` exists, its object exists: uses are added under a lock that
 * prevents deletion, and a row is deleted with its last use. Locks are taken in the order of ids.
 */

type Tx = Transaction<RequestsDb>

/** Stored file with its checksum. */
export interface HashedFile {
  key: string
  /** Size in bytes. */
  size: number
  /** Hexadecimal checksum. */
  sha256: string
}

export interface StoredContent {
  content_id: number
  key: string
  home: string
}

/** Upload and tenant that own contents. Contents of another tenant are never found. */
export interface ContentOwner {
  tenant: string
  prefix: string
}

/** Registers files of an upload as contents, unless the tenant has equal ones. */
export async function insertContents(
  tx: Tx,
  { tenant, prefix }: ContentOwner,
  files: readonly HashedFile[],
): Promise<void> {
  // One fixed order: of two concurrent transactions with equal files, the second waits for the first, without a
  // deadlock.
  await sql`
    insert into contents (tenant, sha256, size, key, home)
    select ${tenant}, sha256, size, key, ${prefix} from ${rows(files)}
    order by sha256, size, key
    on conflict do nothing`.execute(tx)
}

/** Finds the tenant's contents of these files, by the keys of the files, and registers their use by the upload. */
export async function useContents(
  tx: Tx,
  { tenant, prefix }: ContentOwner,
  files: readonly HashedFile[],
): Promise<Map<string, string>> {
  const found = await sql<{ key: string; kept: string }>`
    with known as materialized (
      select content_id, sha256, size, key from contents
      where tenant = ${tenant} and sha256 = any(${files.map(({ sha256 }) => sha256)}::text[])
        and (sha256, size) in (select file.sha256, file.size from ${rows(files)})
      order by content_id for key share of contents
    ), used as (
      insert into content_uses (prefix, content_id) select ${prefix}, content_id from known
      on conflict do nothing
    )
    select file.key, known.key as kept from ${rows(files)}
    join known on known.sha256 = file.sha256 and known.size = file.size`.execute(tx)
  return new Map(found.rows.map(({ key, kept }) => [key, kept]))
}

/** Registers all contents that an upload uses for another user with its own prefix. */
export async function shareContents(tx: Tx, prefix: string, other: string): Promise<void> {
  await sql`
    insert into content_uses (prefix, content_id)
    select ${other}, content_id from content_uses where prefix = ${prefix}
    on conflict do nothing`.execute(tx)
}

const rows = (files: readonly HashedFile[]) => sql`
  unnest(${files.map(({ key }) => key)}::text[], ${files.map(({ size }) => size)}::bigint[],
    ${files.map(({ sha256 }) => sha256)}::text[]) as file (key, size, sha256)`

/** Locks the contents that an upload owns or uses. */
export function lockContentsOf(tx: Tx, prefix: string): Promise<StoredContent[]> {
  return tx
    .selectFrom('contents')
    .select(['content_id', 'key', 'home'])
    .where((row) =>
      row.or([
        row('home', '=', prefix),
        row('content_id', 'in', (uses) =>
          uses.selectFrom('content_uses').select('content_id').where('prefix', '=', prefix),
        ),
      ]),
    )
    .orderBy('content_id')
    .forUpdate()
    .execute()
}

export function lockContentsAt(tx: Tx, keys: readonly string[]): Promise<StoredContent[]> {
  return tx
    .selectFrom('contents')
    .select(['content_id', 'key', 'home'])
    .where((row) => row('key', '=', row.fn.any(row.val([...keys]))))
    .orderBy('content_id')
    .forUpdate()
    .execute()
}

/** Drops the uses of an upload. Requires the locks of the contents. Returns and deletes those without any other use. */
export async function dropUses(
  tx: Tx,
  prefix: string,
  locked: readonly StoredContent[],
): Promise<Set<number>> {
  const ids = locked.map(({ content_id }) => content_id)
  await tx
    .deleteFrom('content_uses')
    .where('prefix', '=', prefix)
    .where((row) => row('content_id', '=', row.fn.any(row.val(ids))))
    .execute()
  const forgotten = await tx
    .deleteFrom('contents')
    .where((row) => row('content_id', '=', row.fn.any(row.val(ids))))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('content_uses')
            .select('content_id')
            .whereRef('content_uses.content_id', '=', 'contents.content_id'),
        ),
      ),
    )
    .returning('content_id')
    .execute()
  return new Set(forgotten.map(({ content_id }) => content_id))
}

/** Returns whether an upload owns or uses contents. */
export async function hasContents(db: Kysely<RequestsDb>, prefix: string): Promise<boolean> {
  const { rows: found } = await sql`
    select from content_uses where prefix = ${prefix} union all
    select from contents where home = ${prefix} limit 1`.execute(db)
  return found.length > 0
}
