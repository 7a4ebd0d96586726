import type { BasicUser } from '@reticle/contracts/rest/users'
import { invalid } from '@reticle/kit/call/errors'
import type { Insertable, Kysely } from 'kysely'
import type { ProjectsDb, UserRow, UsersTable } from '../db/schema.ts'
import { assertFree, orTaken } from './accounts/names.ts'
import { toBasicUser } from './messages.ts'
import { hashPassword } from './passwords/hash.ts'
import { hasUsers, insertUser, listUsers, lockUsers } from './repo.ts'

type Db = Kysely<ProjectsDb>

/** Returns the public fields of these users by id, with one query. Unknown ids are missing in the result. */
export async function basicUsers(db: Db, ids: Iterable<number>): Promise<Map<number, BasicUser>> {
  const rows = await listUsers(db, [...new Set(ids)])
  return new Map(rows.map((row) => [row.id, toBasicUser(row)]))
}

export interface NewUser {
  username: string
  /** Empty: no e-mail. Stored in lower case. */
  email: string
  password: string
  first_name?: string
  last_name?: string
  /** Global role; null: signed in, but without permissions. */
  role?: UserRow['role']
  is_active?: boolean
  is_staff?: boolean
  is_superuser?: boolean
  is_email_verified?: boolean
}

/**
 * Adds a user. It checks the fields, but not the rules for passwords and names that users choose themselves.
 *
 * @throws DomainError invalid naming the field
 */
export async function createUser(db: Db, { password, ...given }: NewUser): Promise<UserRow> {
  const user = { role: 'user' as const, ...given, email: given.email.toLowerCase() }
  assertUsable({ ...user, password })
  return insertNamed(db, { ...user, password_hash: await hashPassword(password) })
}

/**
 * Adds a user whose fields and password have been checked.
 *
 * @throws DomainError invalid when the name or e-mail is taken
 */
export async function insertNamed(db: Db, user: Insertable<UsersTable>): Promise<UserRow> {
  await assertFree(db, user)
  return orTaken(insertUser(db, user))
}

function assertUsable({ username, email, password }: NewUser): void {
  if (!/^[\p{L}\p{N}@.+_-]{1,150}$/u.test(username))
    throw invalid({ username: 'Use 1 to 150 letters, digits and @ . + - _ only.' })
  if (email !== '' && !/^[^\s@\0]+@[^\s@\0]+$/.test(email.slice(0, 255)))
    throw invalid({ email: 'Enter a valid e-mail address.' })
  if (email.length > 254)
    throw invalid({ email: 'Ensure this field has no more than 254 characters.' })
  if (password.length < 1 || password.length > 256)
    throw invalid({ password: 'Use 1 to 256 characters.' })
}

/**
 * Creates the first administrator if no user exists; the e-mail counts as verified.
 *
 * @returns whether one was created
 * @throws DomainError invalid naming the invalid field
 */
export async function ensureAdministrator(
  db: Db,
  { username, password, email }: Pick<NewUser, 'username' | 'password' | 'email'>,
): Promise<boolean> {
  if (await hasUsers(db)) return false
  return db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    if (await hasUsers(tx)) return false
    const rights = { is_staff: true, is_superuser: true, is_email_verified: true }
    await createUser(tx, { username, password, email, role: 'admin', ...rights })
    return true
  })
}
