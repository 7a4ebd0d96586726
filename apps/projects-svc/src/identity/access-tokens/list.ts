import type { accessTokenList } from '@reticle/contracts/rest/auth'
import { paged } from '@reticle/kit/list/page'
import { readSort } from '@reticle/kit/list/sort'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { AccessTokenRow, ProjectsDb } from '../../db/schema.ts'
import { type Usability, usable } from './repo.ts'

/** Sorting of `spec/api-workspace.md` 1.7. */
const sortable = [
  'name',
  'read_only',
  'created_date',
  'updated_date',
  'expiry_date',
  'last_used_date',
] as const

type Query = z.output<typeof accessTokenList>

/** A page of the usable tokens of one user; two queries. */
export function listAccessTokens(
  db: Kysely<ProjectsDb>,
  owner_id: number,
  query: Query,
  usability: Usability,
): Promise<{ count: number; results: AccessTokenRow[] }> {
  const { id, name, read_only } = query
  const found = db
    .selectFrom('access_tokens')
    .where('owner_id', '=', owner_id)
    .where(usable(usability))
    .$if(id !== undefined, (rows) => rows.where('id', '=', id ?? 0))
    .$if(name !== undefined, (rows) => rows.where('name', '=', name ?? ''))
    .$if(read_only !== undefined, (rows) => rows.where('read_only', '=', read_only ?? false))
  const count = async () => {
    const row = await found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirst()
    return row?.count ?? 0
  }
  const rows = (limit: number, offset: number) => {
    const keys = readSort(query.sort, sortable, '-id')
    let sorted = found.selectAll()
    for (const key of keys) sorted = sorted.orderBy(key.name, key.descending ? 'desc' : 'asc')
    return sorted.limit(limit).offset(offset).execute()
  }
  return paged(query, count, rows)
}
