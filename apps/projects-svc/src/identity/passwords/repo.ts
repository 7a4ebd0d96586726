import { type Kysely, sql, type Transaction } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'

/** SQL of wrong passwords and of the networks of successful sign-ins. */

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export interface PasswordAttempt {
  /** Network of the client. */
  address: string
  /** User name of the account in lower case, otherwise the typed name, cut to the maximum length of a user name. */
  username: string
  /** Whether the user of that account has signed in from this network before. */
  is_familiar: boolean
}

/** Lists the newest failures for an account from one network, newest first. */
export async function listFailures(
  db: Db,
  { address, username }: PasswordAttempt,
  { since, most }: { since: Date; most: number },
): Promise<Date[]> {
  const rows = await newestFailures(db, username, since, most)
    .where('address', '=', address)
    .execute()
  return rows.map((row) => row.failed_date)
}

/** Lists the newest failures for an account from networks that its user has not used, newest first. */
export async function listUnfamiliarFailures(
  db: Db,
  { username }: PasswordAttempt,
  { since, most }: { since: Date; most: number },
): Promise<Date[]> {
  const rows = await newestFailures(db, username, since, most)
    .where('is_familiar', '=', false)
    .execute()
  return rows.map((row) => row.failed_date)
}

const newestFailures = (db: Db, username: string, since: Date, most: number) =>
  db
    .selectFrom('password_failures')
    .select('failed_date')
    .where('username', '=', username)
    .where('failed_date', '>', since)
    .orderBy('failed_date', 'desc')
    .limit(most)

/** Serializes the failures of one network, so that one of them is logged. */
export async function lockFailures(tx: Tx, address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('projects.password_failures'), hashtext(${address}))`.execute(
    tx,
  )
}

export async function insertFailure(
  tx: Tx,
  attempt: PasswordAttempt,
  dates: { failed_date: Date; logged_date: Date | null },
): Promise<void> {
  await tx
    .insertInto('password_failures')
    .values({ ...attempt, ...dates })
    .execute()
}

/** Returns whether the event log has an entry of this network since that time. */
export async function hasLoggedFailures(db: Db, address: string, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('password_failures')
    .select('id')
    .where('address', '=', address)
    .where('logged_date', '>', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Lists networks with failures that are not in the event log. */
export async function listUnloggedAddresses(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('password_failures')
    .select('address')
    .distinct()
    .where('logged_date', 'is', null)
    .execute()
  return rows.map((row) => row.address)
}

/** Marks the failures of a network as logged, and returns their number for each name, highest first. */
export async function markFailuresLogged(
  tx: Tx,
  address: string,
  logged_date: Date,
): Promise<{ username: string; count: number }[]> {
  const rows = await tx
    .with('marked', (db) =>
      db
        .updateTable('password_failures')
        .set({ logged_date })
        .where('address', '=', address)
        .where('logged_date', 'is', null)
        .returning('username'),
    )
    .selectFrom('marked')
    .select(['username', (eb) => eb.fn.countAll<string>().as('count')])
    .groupBy('username')
    .orderBy('count', 'desc')
    .orderBy('username')
    .execute()
  return rows.map(({ username, count }) => ({ username, count: Number(count) }))
}

/** Deletes the expired failures of all users. */
export async function deleteFailures(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('password_failures').where('failed_date', '<=', before).execute()
}

/** Returns whether the user has signed in from this network since that time. */
export async function hasOrigin(
  db: Db,
  user_id: number,
  address: string,
  since: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('password_origins')
    .select('user_id')
    .where('user_id', '=', user_id)
    .where('address', '=', address)
    .where('used_date', '>', since)
    .executeTakeFirst()
  return row !== undefined
}

/** Stores that the user signed in from this network; the date is precise to a day. */
export async function upsertOrigin(
  db: Db,
  user_id: number,
  address: string,
  used_date: Date,
): Promise<void> {
  const dayBefore = new Date(used_date.getTime() - 86_400_000)
  await db
    .insertInto('password_origins')
    .values({ user_id, address, used_date })
    .onConflict((on) =>
      on
        .columns(['user_id', 'address'])
        .doUpdateSet({ used_date })
        .where('password_origins.used_date', '<', dayBefore),
    )
    .execute()
}

export async function deleteOrigins(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('password_origins').where('used_date', '<=', before).execute()
}
