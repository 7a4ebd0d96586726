import { sql } from 'kysely'

/**
 * Next `updated_date` of a row: now, but always later than the previous date, so that every change has its own ETag.
 */
export const laterDate = sql<Date>`greatest(clock_timestamp(), updated_date + interval '1 millisecond')`

/**
 * Returns the SQL of at least `date`, but later than the previous date. A change of several rows gives them one date.
 */
export const laterDateOf = (date: Date) =>
  sql<Date>`greatest(${date}::timestamptz, updated_date + interval '1 millisecond')`

/**
 * Next `revision` of a row. Only a change of the record itself moves it; a change of its children moves its date
 * alone.
 */
export const nextRevision = sql<number>`revision + 1`

/** Returns the SQL of `laterDate` as text, for a statement in which several tables have that column. */
export const laterDateText = (table: string): string =>
  `greatest(clock_timestamp(), ${table}.updated_date + interval '1 millisecond')`
