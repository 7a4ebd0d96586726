import type { Request, requestList } from '@reticle/contracts/rest/requests'
import { paged } from '@reticle/kit/list/page'
import { readSort } from '@reticle/kit/list/sort'
import { type Kysely, sql } from 'kysely'
import type { z } from 'zod'
import type { RequestsDb } from '../db/schema.ts'
import { toRequest } from './messages.ts'

type ListQuery = z.infer<typeof requestList>

const sortable = ['created_date', 'status', 'action'] as const
const equalities = [
  'status',
  'action',
  'target',
  'subresource',
  'format',
  'project_id',
  'task_id',
  'job_id',
  'org_id',
] as const

/** A page of a user's own requests: two queries (`spec/api-annotations.md` 2.6). */
export function listRequests(
  db: Kysely<RequestsDb>,
  owner_id: number,
  given: ListQuery,
): Promise<{ count: number; results: Request[] }> {
  const wanted = filtered(db, owner_id, given)
  const count = async () => {
    const row = await wanted
      .select((query) => query.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return row.count
  }
  const rows = async (limit: number, offset: number) => {
    const sorted = sortedBy(wanted.selectAll(), given.sort)
    return (await sorted.limit(limit).offset(offset).execute()).map(toRequest)
  }
  return paged(given, count, rows)
}

function filtered(db: Kysely<RequestsDb>, owner_id: number, given: ListQuery) {
  let query = db
    .selectFrom('requests')
    .where('owner_id', '=', owner_id)
    .where(sql<boolean>`(expiry_date is null or expiry_date > now())`)
  if (given.id !== undefined) query = query.where('rq_id', '=', given.id)
  for (const name of equalities) {
    const value = given[name]
    if (value !== undefined) query = query.where(sql.ref(name), '=', value)
  }
  return query
}

interface Sortable<Q> {
  orderBy: (column: 'rq_id' | (typeof sortable)[number], direction: 'asc' | 'desc') => Q
}

function sortedBy<Q extends Sortable<Q>>(query: Q, given: string | undefined): Q {
  let sorted = query
  for (const { name, descending } of readSort(given, sortable, '-created_date')) {
    sorted = sorted.orderBy(name === 'id' ? 'rq_id' : name, descending ? 'desc' : 'asc')
  }
  return sorted
}
