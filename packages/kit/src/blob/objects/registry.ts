import { type Kysely, sql } from 'kysely'

/**
 * The registry of the objects of a service: the part of its tables `blobs` and `sweeps` that sweeping needs. A key that
 * ends in "/" stands for every object below it. See docs/spec/reliability.md#object-storage.
 */

const batch = 500
/** Milliseconds that a dead object is kept, because it may still be read. */
const deadMs = 3_600_000

/** Returns keys of objects that have been dead for more than an hour. */
export async function findRemovable<T>(db: Kysely<T>, now: Date): Promise<string[]> {
  const before = new Date(now.getTime() - deadMs)
  const { rows } = await sql<{ key: string }>`
    select key from blobs where state = 'dead' and dead_date < ${before} limit ${batch}`.execute(db)
  return rows.map(({ key }) => key)
}

/** Postpones a failed removal by an hour, so that it does not block the removal of other objects. */
export async function putOffRemoval<T>(db: Kysely<T>, key: string, now: Date): Promise<void> {
  await sql`update blobs set dead_date = ${now} where key = ${key}`.execute(db)
}

/** Deletes the row of an object that was removed. */
export async function forgetObject<T>(db: Kysely<T>, key: string): Promise<void> {
  await sql`delete from blobs where key = ${key}`.execute(db)
}

/** Returns those of the keys that have a row. */
export async function findRegistered<T>(db: Kysely<T>, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ key: string }>`
    select key from blobs where key = any(${[...new Set(keys)]}::text[])`.execute(db)
  return rows.map(({ key }) => key)
}

/** Returns the date of the last sweep of that name, or undefined if it never ran. */
export async function findSwept<T>(db: Kysely<T>, name: string): Promise<Date | undefined> {
  const { rows } = await sql<{ swept_date: Date }>`
    select swept_date from sweeps where name = ${name}`.execute(db)
  return rows[0]?.swept_date
}

export async function noteSwept<T>(db: Kysely<T>, name: string, swept_date: Date): Promise<void> {
  await sql`
    insert into sweeps (name, swept_date) values (${name}, ${swept_date})
    on conflict (name) do update set swept_date = excluded.swept_date`.execute(db)
}
