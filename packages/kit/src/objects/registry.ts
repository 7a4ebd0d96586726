import { type Kysely, sql } from 'kysely'

/**
 * The registry of a service's objects: its tables `blobs` and `sweeps`, as far as sweeping needs them (`reliability.md`
 * 16.1). A key that ends in "/" stands for every object below it.
 */

const batch = 500
/** Somebody may still be reading it. */
const deadMs = 3_600_000

/** Keys of objects that died more than an hour ago. */
export async function findRemovable<T>(db: Kysely<T>, now: Date): Promise<string[]> {
  const before = new Date(now.getTime() - deadMs)
  const { rows } = await sql<{ key: string }>`
    select key from blobs where state = 'dead' and dead_date < ${before} limit ${batch}`.execute(db)
  return rows.map(({ key }) => key)
}

/** What could not be removed is left for an hour: it must not keep the sweeper from the others. */
export async function putOffRemoval<T>(db: Kysely<T>, key: string, now: Date): Promise<void> {
  await sql`update blobs set dead_date = ${now} where key = ${key}`.execute(db)
}

/** Forgets an object that was removed. */
export async function forgetObject<T>(db: Kysely<T>, key: string): Promise<void> {
  await sql`delete from blobs where key = ${key}`.execute(db)
}

/** Which of these keys have a row. */
export async function findRegistered<T>(db: Kysely<T>, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ key: string }>`
    select key from blobs where key = any(${[...new Set(keys)]}::text[])`.execute(db)
  return rows.map(({ key }) => key)
}

/** When that was last done; never, when nobody knows. */
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
