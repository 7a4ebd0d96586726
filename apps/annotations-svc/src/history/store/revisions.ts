import { DomainError, notFound } from '@reticle/kit'
import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import type { AnnotationTarget } from '../../targets/target.ts'

/** Maximum number of readable revisions of a job. */
export const mostReadable = 1000

/** A readable revision of a job: the generation of its rows, and the labels revision that they are complete for. */
export interface ReadableRevision {
  task_id: number
  job_id: number
  revision: number
  generation: number
  labels_revision: number
}

interface FoundRevision {
  newest: number
  /** Null when the requested revision is not readable; the same for `labels_revision`. */
  generation: number | null
  labels_revision: number | null
}

/**
 * Finds a revision of a job; without `requested` the newest, which never expires.
 *
 * @throws DomainError not_found for a revision that never existed, or a job that was never written; gone
 * (`revision_expired`) for a revision whose rows were deleted
 */
export async function findReadableRevision(
  db: Kysely<AnnotationsDb>,
  { task_id, id: job_id }: AnnotationTarget,
  requested?: number,
): Promise<ReadableRevision> {
  // `older.revision` is null when the newest revision is requested, which is described by the job itself.
  const { rows } = await sql<FoundRevision>`
    select job.revision as newest,
      case when older.revision is null then job.generation else stored.generation end as generation,
      case when older.revision is null then job.labels_revision else stored.labels_revision end as labels_revision
    from jobs job
    cross join lateral (select nullif(${requested ?? null}::bigint, job.revision) as revision) older
    left join revisions stored on stored.task_id = ${task_id} and stored.job_id = ${job_id}
      and stored.revision = older.revision and stored.is_readable
      and stored.revision > job.revision - ${mostReadable}
    where job.job_id = ${job_id}`.execute(db)
  const [{ newest, generation, labels_revision } = neverWritten] = rows
  const revision = requested ?? newest
  if (revision < 1 || revision > newest) throw notFound()
  if (generation === null || labels_revision === null) throw expired(revision)
  return { task_id, job_id, revision, generation, labels_revision }
}

/** Result for a job without a row in `jobs`: nothing was written, and the event of its creation is still pending. */
const neverWritten: FoundRevision = { newest: 0, generation: null, labels_revision: null }

const expired = (revision: number) =>
  new DomainError('gone', `Revision ${revision} is kept no longer.`, { code: 'revision_expired' })
