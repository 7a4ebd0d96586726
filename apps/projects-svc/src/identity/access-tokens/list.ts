import type { identity } from '@reticle/contracts/api/identity'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { accessTokenFields } from '@reticle/contracts/rest/auth'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import type { Kysely } from 'kysely'
import type { AccessTokenRow, ProjectsDb } from '../../db/schema.ts'
import { type Usability, whereUsable } from './repo.ts'

type Query = OperationInput<typeof identity.listAccessTokens>

const columns = {
  id: 'id',
  name: 'name',
  read_only: 'read_only',
  created_date: 'created_date',
  updated_date: 'updated_date',
  expiry_date: 'expiry_date',
  last_used_date: 'last_used_date',
} as const satisfies ColumnsOf<typeof accessTokenFields>

/** Lists a page of the usable tokens of one user. */
export function listAccessTokens(
  db: Kysely<ProjectsDb>,
  owner_id: number,
  query: Query,
  usability: Usability,
): Promise<ListPage<AccessTokenRow>> {
  const rows = db
    .selectFrom('access_tokens')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where(whereUsable(usability))
  return listPage(rows, query, accessTokenFields, columns)
}
