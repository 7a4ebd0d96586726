import { type Insertable, type Kysely, sql } from 'kysely'
import type { MailedKeyRow, MailedKeysTable, ProjectsDb, UserRow } from '../../db/schema.ts'

/** SQL of mailed keys. */
type Db = Kysely<ProjectsDb>

export async function insertKey(db: Db, key: Insertable<MailedKeysTable>): Promise<void> {
  await db.insertInto('mailed_keys').values(key).execute()
}

/** Deletes the keys of a user, for one purpose or all. */
export async function deleteKeys(
  db: Db,
  user_id: number,
  purpose?: MailedKeyRow['purpose'],
): Promise<void> {
  let rows = db.deleteFrom('mailed_keys').where('user_id', '=', user_id)
  if (purpose !== undefined) rows = rows.where('purpose', '=', purpose)
  await rows.execute()
}

/** Finds the user of a valid key. */
export async function findKeyHolder(
  db: Db,
  { key_hash, purpose }: Pick<MailedKeyRow, 'key_hash' | 'purpose'>,
  now: Date,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('mailed_keys')
    .select('user_id')
    .where('key_hash', '=', key_hash)
    .where('purpose', '=', purpose)
    .where('expiry_date', '>', now)
    .executeTakeFirst()
  return row?.user_id
}

export async function deleteExpiredKeys(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('mailed_keys').where('expiry_date', '<=', now).execute()
}

export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql<boolean>`email <> '' and lower(email) = lower(${email})`)
    .executeTakeFirst()
}

export async function verifyEmailOf(db: Db, id: number): Promise<void> {
  await db.updateTable('users').set({ is_email_verified: true }).where('id', '=', id).execute()
}
