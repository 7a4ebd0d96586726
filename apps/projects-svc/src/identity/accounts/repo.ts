import { type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { ProjectsDb, UserRow, UsersTable } from '../../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/**
 * Nobody else takes a name, gives one up or changes who is an administrator before this transaction ends. Taken before
 * the row of a user is.
 */
export async function lockAccounts(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('projects.accounts'))`.execute(tx)
}

/** Is that anybody's user name or e-mail, in any case, but this user's? */
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

/** Holds the row against every other change, and against new references to it. */
export function lockAccount(tx: Tx, id: number): Promise<UserRow | undefined> {
  return tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** The account that was made for an address because somebody invited it: nobody has registered it yet. */
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

/** Tokens, sessions and memberships go with it; what it owned or was assigned to stays, with nobody in its place. */
export async function deleteAccount(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/** Is there an active administrator besides this user? */
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
