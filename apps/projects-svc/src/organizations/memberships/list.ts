import type { OperationInput } from '@reticle/contracts/api/operation'
import type { organizations } from '@reticle/contracts/api/organizations'
import { membershipFields } from '@reticle/contracts/rest/organizations'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { leaderOf, memberOf } from '../../access/roles.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { type MembershipView, selectMemberships } from './repo.ts'

type Query = OperationInput<typeof organizations.listMemberships>

const columns = {
  id: 'memberships.id',
  user: 'person.username',
  role: 'memberships.role',
} as const satisfies ColumnsOf<typeof membershipFields>

/** Lists a page of the memberships that the caller may see. */
export function listMemberships(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<MembershipView>> {
  const rows = selectMemberships(db)
    .innerJoin('users as person', 'person.id', 'memberships.user_id')
    .where(visibleTo(principal))
  return listPage(rows, query, membershipFields, columns)
}

/**
 * Restricts to memberships of the organization of the request, pending ones only for its leaders; without an
 * organization to the caller's own.
 */
function visibleTo(principal: Principal) {
  const { scope, role, user_id } = principal
  const id = scope?.organization_id
  if (role === 'admin' && scope === null) return sql<SqlBool>`true`
  if (id == null) return sql<SqlBool>`memberships.user_id = ${user_id} and memberships.is_active`
  const ofThat = sql<SqlBool>`memberships.organization_id = ${id}`
  if (role === 'admin' || leaderOf(principal).includes(id)) return ofThat
  if (!memberOf(principal).includes(id)) return sql<SqlBool>`false`
  return sql<SqlBool>`${ofThat} and memberships.is_active`
}
