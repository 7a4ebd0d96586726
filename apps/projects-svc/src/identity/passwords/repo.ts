import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'

/** Passwords that were wrong: who was tried from where, and when. */

type Db = Kysely<ProjectsDb>

export interface Attempt {
  address: string
  /** Lower case, at most as long as a name can be. */
  username: string
}

/** When the passwords of this address for this user failed since then, oldest first. */
export async function listFailures(
  db: Db,
  { address, username }: Attempt,
  since: Date,
): Promise<Date[]> {
  const rows = await db
    .selectFrom('password_failures')
    .select('failed_date')
    .where('username', '=', username)
    .where('address', '=', address)
    .where('failed_date', '>', since)
    .orderBy('failed_date')
    .execute()
  return rows.map((row) => row.failed_date)
}

export async function insertFailure(db: Db, attempt: Attempt, failed_date: Date): Promise<void> {
  await db
    .insertInto('password_failures')
    .values({ ...attempt, failed_date })
    .execute()
}

/** Of everybody: what is too old to count. */
export async function deleteFailures(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('password_failures').where('failed_date', '<=', before).execute()
}
