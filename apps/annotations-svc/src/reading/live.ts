import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type RawBuilder, sql } from 'kysely'
import type { Asked } from '../queries/asked.ts'
import { conditionsOn, jobsAt } from '../queries/conditions.ts'
import type { JobRows } from '../targets/job-rows.ts'
import type { Target } from '../targets/target.ts'

/**
 * `from` and `where` of the rows that are asked for: of each job those of the job's generation, other ones are history.
 * Every bulk read of live rows is made of this.
 *
 * For one job it is a walk of a key. Several jobs are walked one after the other, each by its key: where those walks are in
 * the order of frames, the rows come out job by job and need no sort.
 *
 * @param jobs as the snapshot has them that the rows are read from
 */
export function liveRows(
  kind: RowKind,
  target: Target,
  jobs: JobRows,
  { isOrdered, asked }: { isOrdered: boolean; asked: Asked },
): RawBuilder<unknown> {
  const filled = idsAsked(kind, target, asked).flatMap((id) => {
    const job = jobs.get(id)
    return job && job[arrayOf[kind]] > 0 ? [job] : []
  })
  const order = isOrdered ? sql`order by frame, id` : sql``
  const rowsOf = (job: RawBuilder<unknown>, generation: RawBuilder<unknown>) => {
    const place = sql`task_id = ${target.task_id} and job_id = ${job} and generation = ${generation}`
    const conditions = sql.join([place, ...conditionsOn(kind, target, asked)], sql` and `)
    return sql`from ${sql.table(arrayOf[kind])} where ${conditions} ${order}`
  }
  const [only, ...others] = filled
  if (only && others.length === 0) return rowsOf(sql`${only.job_id}`, sql`${only.generation}`)
  return sql`from unnest(${filled.map((job) => job.job_id)}::int[],
      ${filled.map((job) => job.generation)}::bigint[]) as job (of_job, of_generation)
    cross join lateral (select * ${rowsOf(sql`of_job`, sql`of_generation`)}) as live`
}

/** Of a task whose frames are asked for, only the jobs that have one are walked. */
function idsAsked(kind: RowKind, target: Target, { frames }: Asked): number[] {
  return frames && kind !== 'track' ? jobsAt(target, frames) : target.jobs.map((job) => job.id)
}

/** Those generations, for lookups by id: a row counts when its generation is its job's (`isLive`). */
export const generationsOf = (jobs: JobRows) => [
  ...new Set([...jobs.values()].map((job) => job.generation)),
]

export const isLive = (jobs: JobRows, row: { job_id: number; generation: number }) =>
  jobs.get(row.job_id)?.generation === row.generation
