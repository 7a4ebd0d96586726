import {
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely'
import type { AccessTokenRow, AccessTokensTable, ProjectsDb, UserRow } from '../../db/schema.ts'

type Db = Kysely<ProjectsDb>

/** Time and limits that decide whether a token is usable. */
export interface Usability {
  now: Date
  /** Days without use (counted from creation if never used) after which a token is stale. */
  staleDays: number
}

const dayMs = 86_400_000

/**
 * Builds the condition of a usable token: not revoked, not expired, not stale. Other tokens are hidden from every
 * caller.
 */
export function whereUsable({ now, staleDays }: Usability) {
  const staleDate = new Date(now.getTime() - staleDays * dayMs)
  return (eb: ExpressionBuilder<ProjectsDb, 'access_tokens'>) =>
    eb.and([
      eb('access_tokens.revoked_date', 'is', null),
      eb.or([
        eb('access_tokens.expiry_date', 'is', null),
        eb('access_tokens.expiry_date', '>=', now),
      ]),
      sql<boolean>`coalesce(access_tokens.last_used_date, access_tokens.created_date) > ${staleDate}`,
    ])
}

export function findAccessToken(
  db: Db,
  id: number,
  usability: Usability,
): Promise<AccessTokenRow | undefined> {
  return db
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', id)
    .where(whereUsable(usability))
    .executeTakeFirst()
}

export function lockAccessToken(
  tx: Transaction<ProjectsDb>,
  id: number,
  usability: Usability,
): Promise<AccessTokenRow | undefined> {
  return tx
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', id)
    .where(whereUsable(usability))
    .forUpdate()
    .executeTakeFirst()
}

export type TokenOfUser = Pick<AccessTokenRow, 'id' | 'read_only' | 'dialect' | 'last_used_date'>

/** Finds a usable token with its user, in one query, because it runs before nearly every call. */
export async function findTokenAndUser(
  db: Db,
  token_hash: Buffer,
  usability: Usability,
): Promise<{ token: TokenOfUser; user: UserRow } | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.owner_id')
    .selectAll('users')
    .select(['access_tokens.id as token_id', 'read_only', 'dialect', 'last_used_date'])
    .where('token_hash', '=', token_hash)
    .where(whereUsable(usability))
    .executeTakeFirst()
  if (!row) return undefined
  const { token_id, read_only, dialect, last_used_date, ...user } = row
  return { token: { id: token_id, read_only, dialect, last_used_date }, user }
}

export async function countAccessTokens(
  db: Db,
  owner_id: number,
  usability: Usability,
): Promise<number> {
  const { count } = await db
    .selectFrom('access_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', owner_id)
    .where(whereUsable(usability))
    .executeTakeFirstOrThrow()
  return count
}

export function insertAccessToken(
  db: Db,
  token: Insertable<AccessTokensTable>,
): Promise<AccessTokenRow> {
  return db.insertInto('access_tokens').values(token).returningAll().executeTakeFirstOrThrow()
}

export function updateAccessToken(
  db: Db,
  id: number,
  changes: Updateable<AccessTokensTable>,
): Promise<AccessTokenRow> {
  return db
    .updateTable('access_tokens')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Stores the time of use, unless another process has stored a later one. */
export async function updateLastUsed(db: Db, id: number, last_used_date: Date): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ last_used_date })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([eb('last_used_date', 'is', null), eb('last_used_date', '<', last_used_date)]),
    )
    .execute()
}
