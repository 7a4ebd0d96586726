import type { identity } from '@reticle/contracts/api/identity'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/rest/principal'
import { userFields } from '@reticle/contracts/rest/users'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { memberOf } from '../../access/roles.ts'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import type { Memberships } from '../deps.ts'

type Query = OperationInput<typeof identity.listUsers>

const columns = {
  id: 'id',
  username: 'username',
  first_name: 'first_name',
  last_name: 'last_name',
  is_active: 'is_active',
} as const satisfies ColumnsOf<typeof userFields>

/** Lists a page of the users that the caller may see. */
export function listAccounts(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
  memberships: Pick<Memberships, 'membersOf'>,
): Promise<ListPage<UserRow>> {
  const rows = db.selectFrom('users').selectAll().where(visibleTo(principal, memberships))
  return listPage(rows, query, userFields, columns)
}

/**
 * Restricts to members of the organization of the request; otherwise to the caller, or to all users for
 * administrators.
 */
function visibleTo(principal: Principal, { membersOf }: Pick<Memberships, 'membersOf'>) {
  const { scope, role, user_id } = principal
  const id = scope?.organization_id
  if (id == null) return role === 'admin' ? sql<SqlBool>`true` : sql<SqlBool>`users.id = ${user_id}`
  if (role !== 'admin' && !memberOf(principal).includes(id)) return sql<SqlBool>`false`
  return sql<SqlBool>`users.id in (${membersOf(id)})`
}
