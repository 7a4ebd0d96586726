import type { OperationInput } from '@reticle/contracts/api/operation'
import type { requests } from '@reticle/contracts/api/requests'
import { requestFields } from '@reticle/contracts/rest/requests'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import type { ShownRow } from './messages.ts'
import { isAlive, selectWithPosition } from './repo.ts'

type Query = OperationInput<typeof requests.listRequests>

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

/**
 * Lists a page of the requests of one user.
 *
 * @param organization id to filter by; null: requests outside organizations, undefined: all
 */
export function listRequests(
  db: Kysely<RequestsDb>,
  owner_id: number,
  query: Query,
  organization: number | null | undefined,
): Promise<ListPage<ShownRow>> {
  const rows = selectWithPosition(db, 'owner_id', [owner_id])
    .where(isAlive)
    .where(inOrganization(organization))
  return listPage(rows, query, requestFields, columns)
}

function inOrganization(id: number | null | undefined) {
  if (id === undefined) return sql<SqlBool>`true`
  return id === null ? sql<SqlBool>`org_id is null` : sql<SqlBool>`org_id = ${id}`
}
