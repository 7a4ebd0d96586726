import { type Kysely, sql, type Transaction } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'

/**
 * Files by what is in them. As long as there is a row of `contents` its object is there: rows are used under a lock that
 * stands in the way of their end, and end with their last use (`spec/extensions.md` 8). Locks are taken in the order of ids.
 */

type Tx = Transaction<RequestsDb>

/** A stored file. */
export interface HashedFile {
  key: string
  /** Bytes. */
  size: number
  /** Hexadecimal. */
  sha256: string
}

export interface Content {
  content_id: number
  key: string
  home: string
}

/** Whose they are: an upload, and whoever it is for. Nothing is ever found that another tenant has. */
export interface Keeper {
  tenant: string
  prefix: string
}

/** Makes files of an upload known, where nothing like them is. */
export async function insertContents(
  tx: Tx,
  { tenant, prefix }: Keeper,
  files: readonly HashedFile[],
): Promise<void> {
  // In one order: of two that make the same known, the second waits for the first, and never both.
  await sql`
    insert into contents (tenant, sha256, size, key, home)
    select ${tenant}, sha256, size, key, ${prefix} from ${rows(files)}
    order by sha256, size, key
    on conflict do nothing`.execute(tx)
}

/** What a tenant has of these files, under the keys of these; from now on the upload uses it. */
export async function useContents(
  tx: Tx,
  { tenant, prefix }: Keeper,
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

/** Another user of all that an upload uses; it goes by a prefix of its own. */
export async function shareContents(tx: Tx, prefix: string, other: string): Promise<void> {
  await sql`
    insert into content_uses (prefix, content_id)
    select ${other}, content_id from content_uses where prefix = ${prefix}
    on conflict do nothing`.execute(tx)
}

const rows = (files: readonly HashedFile[]) => sql`
  unnest(${files.map(({ key }) => key)}::text[], ${files.map(({ size }) => size)}::bigint[],
    ${files.map(({ sha256 }) => sha256)}::text[]) as file (key, size, sha256)`

/** What an upload brought or uses, locked. */
export function lockContentsOf(tx: Tx, prefix: string): Promise<Content[]> {
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

export function lockContentsAt(tx: Tx, keys: readonly string[]): Promise<Content[]> {
  return tx
    .selectFrom('contents')
    .select(['content_id', 'key', 'home'])
    .where((row) => row('key', '=', row.fn.any(row.val([...keys]))))
    .orderBy('content_id')
    .forUpdate()
    .execute()
}

/** To be called under the locks of them: the upload uses them no more. Answers those that nobody uses; they are forgotten. */
export async function dropUses(
  tx: Tx,
  prefix: string,
  locked: readonly Content[],
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

/** Is there anything that an upload brought or uses? */
export async function hasContents(db: Kysely<RequestsDb>, prefix: string): Promise<boolean> {
  const { rows: found } = await sql`
    select from content_uses where prefix = ${prefix} union all
    select from contents where home = ${prefix} limit 1`.execute(db)
  return found.length > 0
}
