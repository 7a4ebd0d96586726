import type { Insertable, Kysely } from 'kysely'
import type { ProjectsDb, SessionRow, SessionsTable, UserRow } from '../../db/schema.ts'

/** SQL of sessions. A transaction can be passed as `Db`. */
type Db = Kysely<ProjectsDb>

export type SessionOfUser = Pick<SessionRow, 'id' | 'expiry_date'>

/** Finds a session with its user, in one query. */
export async function findSessionAndUser(
  db: Db,
  token_hash: Buffer,
  now: Date,
): Promise<{ session: SessionOfUser; user: UserRow } | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .select(['sessions.id as session_id', 'expiry_date'])
    .where('token_hash', '=', token_hash)
    .where('expiry_date', '>', now)
    .executeTakeFirst()
  if (!row) return undefined
  const { session_id, expiry_date, ...user } = row
  return { session: { id: session_id, expiry_date }, user }
}

export async function insertSession(db: Db, session: Insertable<SessionsTable>): Promise<number> {
  const { id } = await db
    .insertInto('sessions')
    .values(session)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Replaces the value of a session's row. */
export async function replaceSession(
  db: Db,
  before: Buffer,
  session: Insertable<SessionsTable>,
): Promise<void> {
  await db.updateTable('sessions').set(session).where('token_hash', '=', before).execute()
}

export async function updateSessionExpiry(db: Db, id: number, expiry_date: Date): Promise<void> {
  await db.updateTable('sessions').set({ expiry_date }).where('id', '=', id).execute()
}

export async function deleteSession(
  db: Db,
  { user_id, token_hash }: Pick<SessionRow, 'user_id' | 'token_hash'>,
): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', user_id)
    .where('token_hash', '=', token_hash)
    .execute()
}

/** Deletes the sessions of a user, except `but`. */
export async function deleteSessions(db: Db, user_id: number, but?: number): Promise<void> {
  let rows = db.deleteFrom('sessions').where('user_id', '=', user_id)
  if (but !== undefined) rows = rows.where('id', '<>', but)
  await rows.execute()
}

export async function deleteExpiredSessions(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('sessions').where('expiry_date', '<=', now).execute()
}
