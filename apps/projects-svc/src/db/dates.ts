import { sql } from 'kysely'

/** The next `updated_date` of a row: now, and always later than the one before, so that every change has its own ETag. */
export const laterDate = sql<Date>`greatest(clock_timestamp(), updated_date + interval '1 millisecond')`

/** The same as text, for a statement in which several tables have that column. */
export const laterDateText = (table: string): string =>
  `greatest(clock_timestamp(), ${table}.updated_date + interval '1 millisecond')`
