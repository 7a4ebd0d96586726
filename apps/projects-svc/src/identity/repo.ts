import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import type { ProjectsDb, UserRow, UsersTable } from '../db/schema.ts'

/** SQL of users and legacy tokens. A transaction can be passed as `Db`. */
type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export function findUser(db: Db, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds a user by user name or e-mail, without regard to case; the user name has priority. */
export function findUserByName(db: Db, name: string): Promise<UserRow | undefined> {
  const isUsername = sql<boolean>`lower(username) = lower(${name})`
  const isEmail = sql<boolean>`(email <> '' and lower(email) = lower(${name}))`
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb.or([isUsername, isEmail]))
    .orderBy(isUsername, 'desc')
    .limit(1)
    .executeTakeFirst()
}

export function findUserByEmail(
  db: Db,
  email: string,
): Promise<Pick<UserRow, 'id' | 'password_hash' | 'is_email_verified'> | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'password_hash', 'is_email_verified'])
    .where('email', '<>', '')
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirst()
}

/** Inserts an account without a password; does nothing when the name or address is taken, even concurrently. */
export async function insertPlaceholder(db: Db, email: string): Promise<void> {
  const row = { username: email, email, password_hash: '', role: 'user' } as const
  await db
    .insertInto('users')
    .values(row)
    .onConflict((on) => on.doNothing())
    .execute()
}

interface TokenHolder {
  user: UserRow
  /** Null for a token created by a replica of the previous release. */
  session: { id: number; expiry_date: Date } | null
}

/** Finds the user of a legacy token with a valid session; `since` limits the age of a token without a session. */
export async function findUserByLegacyToken(
  db: Db,
  token_hash: Buffer,
  { now, since }: { now: Date; since: Date },
): Promise<TokenHolder | undefined> {
  const row = await db
    .selectFrom('auth_tokens')
    .innerJoin('users', 'users.id', 'auth_tokens.user_id')
    .leftJoin('sessions', 'sessions.id', 'auth_tokens.session_id')
    .selectAll('users')
    .select(['sessions.id as session_id', 'sessions.expiry_date'])
    .where('auth_tokens.token_hash', '=', token_hash)
    .where((eb) =>
      eb.or([
        eb('sessions.expiry_date', '>', now),
        eb.and([
          eb('auth_tokens.session_id', 'is', null),
          eb('auth_tokens.created_date', '>', since),
        ]),
      ]),
    )
    .executeTakeFirst()
  if (!row) return undefined
  const { session_id: id, expiry_date, ...user } = row
  return { user, session: id === null || expiry_date === null ? null : { id, expiry_date } }
}

export function listUsers(db: Db, ids: readonly number[]): Promise<UserRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.selectFrom('users').selectAll().where('id', 'in', ids).execute()
}

/** Locks the row against other changes, but not against new references to it. */
export function lockUser(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function hasUsers(db: Db): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Blocks inserts of users by other transactions. */
export async function lockUsers(tx: Tx): Promise<void> {
  await sql`lock table users in share row exclusive mode`.execute(tx)
}

export function insertUser(db: Db, user: Insertable<UsersTable>): Promise<UserRow> {
  return db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow()
}

/** Replaces the hash. Returns false when the password was changed in between. */
export async function replacePasswordHash(
  db: Db,
  { id, password_hash: before }: Pick<UserRow, 'id' | 'password_hash'>,
  password_hash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ password_hash })
    .where('id', '=', id)
    .where('password_hash', '=', before)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function updateLastLogin(db: Db, id: number, last_login: Date): Promise<void> {
  await db.updateTable('users').set({ last_login }).where('id', '=', id).execute()
}

interface LegacyToken {
  user_id: number
  token_hash: Buffer
  created_date: Date
  /** Session that the token ends with. */
  session_id: number
}

export async function insertLegacyToken(db: Db, token: LegacyToken): Promise<void> {
  await db.insertInto('auth_tokens').values(token).execute()
}

/** Replaces the token of a row. */
export async function replaceLegacyToken(
  db: Db,
  before: Buffer,
  token: Omit<LegacyToken, 'session_id'>,
): Promise<void> {
  await db.updateTable('auth_tokens').set(token).where('token_hash', '=', before).execute()
}

/** Deletes a legacy token and its session. */
export async function deleteLegacyToken(db: Db, token_hash: Buffer): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('id', 'in', (of) =>
      of
        .selectFrom('auth_tokens')
        .select('session_id')
        .where('token_hash', '=', token_hash)
        .where('session_id', 'is not', null)
        .$castTo<{ session_id: number }>(),
    )
    .execute()
  await db.deleteFrom('auth_tokens').where('token_hash', '=', token_hash).execute()
}

/** Deletes all legacy tokens of a user. */
export async function deleteLegacyTokens(db: Db, user_id: number): Promise<void> {
  await db.deleteFrom('auth_tokens').where('user_id', '=', user_id).execute()
}
