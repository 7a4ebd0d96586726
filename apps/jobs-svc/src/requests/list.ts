import type { Input } from '@reticle/contracts/api/operation'
import type { requests } from '@reticle/contracts/api/requests'
import { type FiltersOf, listPage } from '@reticle/kit/list/list'
import type { Listed } from '@reticle/kit/list/page'
import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { isAlive } from './repo.ts'

type Query = Input<typeof requests.listRequests>

const filters = {
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
} as const satisfies FiltersOf<Query>
const sorts = {
  id: 'rq_id',
  created_date: 'created_date',
  status: 'status',
  action: 'action',
} as const

/** A page of a user's own requests: `spec/api-annotations.md` 2.6. */
export function listRequests(
  db: Kysely<RequestsDb>,
  owner_id: number,
  query: Query,
): Promise<Listed<RequestRow>> {
  const rows = db.selectFrom('requests').selectAll().where('owner_id', '=', owner_id).where(isAlive)
  return listPage(rows, query, { filters, sorts, order: '-created_date' })
}
