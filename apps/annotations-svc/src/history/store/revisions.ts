import { DomainError, notFound } from '@reticle/kit'
import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import type { AnnotationTarget } from '../../targets/target.ts'

/** Maximum number of readable revisions of a job. */
export const mostReadable = 1000

/** A readable revision: the generation of its rows, and the labels revision that they are complete for. */
export interface Moment {
  task_id: number
  job_id: number
  revision: number
  generation: number
  labels_revision: number
}

interface Known {
  newest: number
  generation: number | null
  labels_revision: number | null
}

/**
 * Finds a revision of a job; without `requested` the newest, which always exists.
 *
 * @throws DomainError not_found for one that never existed, gone `revision_expired` for one whose data was dropped
 */
export async function findMoment(
  db: Kysely<AnnotationsDb>,
  { task_id, id: job_id }: AnnotationTarget,
  requested?: number,
): Promise<Moment> {
  const { rows } = await sql<Known>`
    select job.revision as newest,
      case when one.revision is null then job.generation else known.generation end as generation,
      case when one.revision is null then job.labels_revision else known.labels_revision end as labels_revision
    from jobs job
    cross join lateral (select nullif(${requested ?? null}::bigint, job.revision) as revision) one
    left join revisions known on known.task_id = ${task_id} and known.job_id = ${job_id}
      and known.revision = one.revision and known.is_readable
      and known.revision > job.revision - ${mostReadable}
    where job.job_id = ${job_id}`.execute(db)
  const [{ newest, generation, labels_revision } = never] = rows
  const revision = requested ?? newest
  if (revision < 1 || revision > newest) throw notFound()
  if (generation === null || labels_revision === null) throw expired(revision)
  return { task_id, job_id, revision, generation, labels_revision }
}

/** State of a job without any write. */
const never: Known = { newest: 0, generation: null, labels_revision: null }

const expired = (revision: number) =>
  new DomainError('gone', `Revision ${revision} is kept no longer.`, { code: 'revision_expired' })
