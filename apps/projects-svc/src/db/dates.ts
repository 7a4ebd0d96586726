import { sql } from 'kysely'

/** The next `updated_date` of a row: now, and always later than the one before, so that every change has its own ETag. */
export const laterDate = sql<Date>`greatest(clock_timestamp(), updated_date + interval '1 millisecond')`

/** At least `date`, and later than the one before: a change of several rows gives them one date. */
export const laterDateOf = (date: Date) =>
  sql<Date>`greatest(${date}::timestamptz, updated_date + interval '1 millisecond')`

/** The next `revision` of a row. Only a change of the record itself moves it; a change of its children moves its date alone. */
export const nextRevision = sql<number>`revision + 1`

/** The same as text, for a statement in which several tables have that column. */
export const laterDateText = (table: string): string =>
  `greatest(clock_timestamp(), ${table}.updated_date + interval '1 millisecond')`
