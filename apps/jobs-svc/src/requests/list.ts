import type { Input } from '@reticle/contracts/api/operation'
import type { requests } from '@reticle/contracts/api/requests'
import { requestFields } from '@reticle/contracts/rest/requests'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { Listed } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { isAlive } from './repo.ts'

type Query = Input<typeof requests.listRequests>

const columns = {
  id: 'rq_id',
  status: 'status',
  action: 'action',
  target: 'target',
  subresource: 'subresource',
  format: 'format',
  project_id: 'project_id',
  task_id: 'task_id',
  job_id: 'job_id',
  org_id: 'org_id',
  created_date: 'created_date',
} as const satisfies ColumnsOf<typeof requestFields>

/** A page of a user's own requests: `spec/api-annotations.md` 2.6. */
export function listRequests(
  db: Kysely<RequestsDb>,
  owner_id: number,
  query: Query,
): Promise<Listed<RequestRow>> {
  const rows = db
    .selectFrom('requests')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where(isAlive)
    .where(inOrganization(query.org))
  return listPage(rows, query, requestFields, columns)
}

/** By its slug, which is empty for none. No organization exists that another one could name. */
function inOrganization(slug: string | undefined) {
  if (slug === undefined) return sql<SqlBool>`true`
  return slug === '' ? sql<SqlBool>`org_id is null` : sql<SqlBool>`false`
}
