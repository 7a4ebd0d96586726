import type { identity } from '@reticle/contracts/api/identity'
import type { Input } from '@reticle/contracts/api/operation'
import { userFields } from '@reticle/contracts/rest/users'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { Listed } from '@reticle/kit/list/page'
import type { Kysely } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'

type Query = Input<typeof identity.listUsers>

const columns = {
  id: 'id',
  username: 'username',
  first_name: 'first_name',
  last_name: 'last_name',
  is_active: 'is_active',
} as const satisfies ColumnsOf<typeof userFields>

/**
 * A page of users: `spec/api-workspace.md` 1.5, 1.7.
 *
 * @param only the one user whom the caller may see; nothing: everybody
 */
export function listAccounts(
  db: Kysely<ProjectsDb>,
  only: number | undefined,
  query: Query,
): Promise<Listed<UserRow>> {
  const all = db.selectFrom('users').selectAll()
  const rows = only === undefined ? all : all.where('id', '=', only)
  return listPage(rows, query, userFields, columns)
}
