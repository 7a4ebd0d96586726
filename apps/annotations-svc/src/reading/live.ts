import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * The rows of a job are those of its generation, all others are history
 * (`docs/adr/0026-a-replacement-is-a-new-generation.md`). Every statement that reads rows says so by one of these, and in
 * the statement itself: it sees jobs and rows of one moment.
 */

interface LiveOptions {
  /** SQL of the task, where it is one: the plan then has one partition. */
  task?: string
  /** The table, or the partition of the tasks. */
  from?: string
}

/**
 * Rows in place of a table, called `stored`, for what is sorted or grouped anyway: a walk of the primary key for each job.
 * `offset 0` keeps that order of joins, however few rows the planner expects (`docs/adr/0034-plans-without-statistics.md`).
 *
 * @param jobs SQL of an array of their ids
 */
export const liveRows = (
  kind: RowKind,
  jobs: string,
  { task = 'of_task', from = arrayOf[kind] }: LiveOptions = {},
): string =>
  `(select task_id as of_task, job_id as of_job, generation as live from jobs where job_id = any(${jobs})) as wanted
    cross join lateral (select *, ctid from ${from}
      where task_id = ${task} and job_id = of_job and generation = live offset 0) as stored`

/**
 * Rows by their own ids, called `stored`: a step into the key of ids for each. The job and its generation are compared in a
 * subquery, so that the planner cannot walk the primary key of the whole job instead, and `offset 0` keeps that order of
 * joins.
 *
 * @param given SQL of a table `given` with a column `id`
 * @param from the table, or the partition of the task
 */
export const rowsOfIds = (
  kind: RowKind,
  given: string,
  task = '$1',
  from: string = arrayOf[kind],
): string =>
  `${given} cross join lateral (select *, ctid from ${from} as ${arrayOf[kind]}
    where task_id = ${task} and id = given.id and ${isLive(kind)} offset 0) as stored`

/** As a condition on rows that were found by their ids: the job decides nothing about how they are found. */
const isLive = (kind: RowKind): string =>
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
