import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * The rows of a job are those of its generation, all others are history
 * (`docs/adr/0026-a-replacement-is-a-new-generation.md`). Every statement that reads rows says so by one of these, and in
 * the statement itself: it sees jobs and rows of one moment.
 */

/**
 * Rows in place of a table, for what is sorted or grouped anyway: walks of the keys of these jobs. `select *` has no column
 * beside those of the table.
 *
 * @param jobs SQL of an array of their ids
 */
export const liveRows = (kind: RowKind, jobs: string): string =>
  `${arrayOf[kind]} join (select job_id, generation from jobs where job_id = any(${jobs})) as live
    using (job_id, generation)`

/** As a condition on rows that were found by their ids: the job decides nothing about how they are found. */
export const isLive = (kind: RowKind): string =>
  `generation = (select generation from jobs where jobs.job_id = ${arrayOf[kind]}.job_id)`

interface Walk {
  task_id: number
  /** Ids of jobs, one after the other. */
  jobs: readonly number[]
  conditions: readonly RawBuilder<SqlBool>[]
  /** Columns of the key behind the job, or others. */
  order: string
}

/**
 * `from` and what follows it, of rows job by job, those of each in an order. Where that is the order of the key they are
 * neither sorted nor filtered: a nested loop gives the rows in the order of its outer side.
 */
export function walkRows(kind: RowKind, { task_id, jobs, conditions, order }: Walk) {
  const rowsOf = (job: RawBuilder<unknown>) => {
    const place = sql<SqlBool>`task_id = ${task_id} and job_id = ${job}
      and generation = (select job.generation from jobs job where job.job_id = ${job})`
    return sql`from ${sql.table(arrayOf[kind])}
      where ${sql.join([place, ...conditions], sql` and `)} order by ${sql.raw(order)}`
  }
  const [only, ...others] = jobs
  if (only !== undefined && others.length === 0) return rowsOf(sql`${only}`)
  return sql`from unnest(${jobs}::int[]) as wanted (of_job)
    cross join lateral (select * ${rowsOf(sql`of_job`)}) as live`
}
