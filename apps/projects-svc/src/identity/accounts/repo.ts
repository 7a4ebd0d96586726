import { type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { ProjectsDb, UserRow, UsersTable } from '../../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/**
 * Locks user names and administrator rights: no other transaction takes or frees a name, or changes the set of
 * administrators, before this one ends. Take it before the lock on the row of a user.
 */
export async function lockAccounts(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('projects.accounts'))`.execute(tx)
}

/** Returns whether another user has this user name or e-mail, without regard to case. */
export async function isNameTaken(db: Db, name: string, but?: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(
      sql<boolean>`(lower(username) = lower(${name}) or (email <> '' and lower(email) = lower(${name})))`,
    )
    .where('id', '<>', but ?? 0)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Locks the row against all changes and new references to it. */
export function lockAccount(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks the account that an invitation created for an address, if it is not registered yet. */
export function lockPlaceholder(tx: Tx, email: string): Promise<UserRow | undefined> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('email', '<>', '')
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .where('password_hash', '=', '')
    .where('is_active', '=', true)
    .forUpdate()
    .executeTakeFirst()
}

export function updateAccount(
  tx: Tx,
  id: number,
  changes: Updateable<UsersTable>,
): Promise<UserRow> {
  return tx
    .updateTable('users')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Deletes a user with tokens, sessions and memberships. Objects that they owned or were assigned to remain, without
 * an owner or assignee.
 */
export async function deleteAccount(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/** Returns whether another active administrator exists. */
export async function hasOtherAdministrator(tx: Tx, id: number): Promise<boolean> {
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`is_active and (role = 'admin' or (is_superuser and is_staff))`)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
