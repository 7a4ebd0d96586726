import type { annotations } from '@reticle/contracts/api/annotations'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { type Revision, revision, revisionFields } from '@reticle/contracts/rest/history'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { authorColumns, authorOf } from './store/authors.ts'
import { mostReadable } from './store/revisions.ts'

type Query = Omit<OperationInput<typeof annotations.listJobRevisions>, 'id'>

const columns = {
  id: 'entry.id',
  revision: 'entry.revision',
  author: 'author.username',
  action: 'entry.action',
  created_date: 'entry.created_date',
} as const satisfies ColumnsOf<typeof revisionFields>

/** Returns a page of the revisions of a job, or of all jobs of a task. */
export async function listRevisions(
  db: Kysely<AnnotationsDb>,
  { task_id, jobs }: AnnotationTarget,
  query: Query,
): Promise<ListPage<Revision>> {
  const ids = jobs.map((job) => job.id)
  const rows = viewsOf(db)
    .where('entry.task_id', '=', task_id)
    .where(sql<SqlBool>`entry.job_id = any(${ids}::int[])`)
  const { count, results } = await listPage(rows, query, revisionFields, columns)
  return { count, results: results.map(toRevision) }
}

const viewsOf = (db: Kysely<AnnotationsDb>) =>
  db
    .selectFrom('revisions as entry')
    .innerJoin('jobs as job', 'job.job_id', 'entry.job_id')
    .leftJoin('authors as author', 'author.id', 'entry.author_id')
    .select([
      'entry.revision',
      'entry.job_id',
      'entry.created_date',
      'entry.action',
      'entry.created',
      'entry.updated',
      'entry.deleted',
      'entry.request_id',
      'entry.rq_id',
      ...authorColumns,
      sql<boolean>`entry.revision = job.revision
        or entry.is_readable and entry.revision > job.revision - ${mostReadable}`.as('readable'),
    ])

type View = Awaited<ReturnType<ReturnType<typeof viewsOf>['execute']>>[number]

const { action: actions } = revision.shape

function toRevision(view: View): Revision {
  const { created, updated, deleted } = view
  return {
    revision: view.revision,
    job_id: view.job_id,
    created_date: view.created_date.toISOString(),
    author: authorOf(view),
    action: actions.parse(view.action),
    counts: { created, updated, deleted },
    request_id: view.request_id,
    rq_id: view.rq_id,
    readable: view.readable,
  }
}
