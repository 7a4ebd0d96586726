import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * The rows of a job are those of its current generation; all others are history
 * (`docs/adr/0026-write-each-replacement-as-a-new-generation.md`). Every statement that reads rows uses one of
 * these helpers, so that it sees jobs and rows at the same moment.
 */

interface LiveOptions {
  /** SQL of the task id if it is constant, so that the plan uses one partition. */
  task?: string
  /** Table, or the partition of the tasks. */
  from?: string
}

/**
 * Returns SQL of the current rows, aliased `stored`, for queries that sort or group anyway: one scan of the primary
 * key per job. `offset 0` fixes the join order whatever row count the planner expects
 * (`docs/adr/0034-write-annotation-statements-that-need-no-statistics.md`).
 *
 * @param jobs SQL of an array of job ids
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
 * Returns SQL of rows by id, aliased `stored`: one lookup in the id index per row. The job and generation are
 * compared in a subquery, so that the planner cannot scan the whole job by its primary key, and `offset 0` fixes the
 * join order.
 *
 * @param given SQL of a table `given` with a column `id`
 * @param from table, or the partition of the task
 */
export const rowsOfIds = (
  kind: RowKind,
  given: string,
  task = '$1',
  from: string = arrayOf[kind],
): string =>
  `${given} cross join lateral (select *, ctid from ${from} as ${arrayOf[kind]}
    where task_id = ${task} and id = given.id and ${isLive(kind)} offset 0) as stored`

/** Condition for rows that were found by id; it does not affect how they are found. */
const isLive = (kind: RowKind): string =>
  `generation = (select generation from jobs where jobs.job_id = ${arrayOf[kind]}.job_id)`

interface Walk {
  task_id: number
  /** Ids of the jobs, scanned one after the other. */
  jobs: readonly number[]
  conditions: readonly RawBuilder<SqlBool>[]
  /** Sort columns after the job. */
  order: string
}

/**
 * Returns the `from` clause for rows job by job, sorted within each job. In the order of the primary key no sort or
 * filter is needed, because a nested loop keeps the order of its outer side.
 */
export function walkRows(kind: RowKind, { task_id, jobs, conditions, order }: Walk) {
  const rowsOf = (job: RawBuilder<unknown>) => {
    const isOfJob = sql<SqlBool>`task_id = ${task_id} and job_id = ${job}
      and generation = (select job.generation from jobs job where job.job_id = ${job})`
    return sql`from ${sql.table(arrayOf[kind])}
      where ${sql.join([isOfJob, ...conditions], sql` and `)} order by ${sql.raw(order)}`
  }
  const [only, ...others] = jobs
  if (only !== undefined && others.length === 0) return rowsOf(sql`${only}`)
  return sql`from unnest(${jobs}::int[]) as wanted (of_job)
    cross join lateral (select * ${rowsOf(sql`of_job`)}) as live`
}
