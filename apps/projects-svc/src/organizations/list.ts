import type { OperationInput } from '@reticle/contracts/api/operation'
import type { organizations } from '@reticle/contracts/api/organizations'
import { organizationFields } from '@reticle/contracts/rest/organizations'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { memberOf } from '../access/roles.ts'
import type { OrganizationRow, ProjectsDb } from '../db/schema.ts'

type Query = OperationInput<typeof organizations.listOrganizations>

const columns = {
  id: 'organizations.id',
  name: 'organizations.name',
  owner: 'owner.username',
  slug: 'organizations.slug',
} as const satisfies ColumnsOf<typeof organizationFields>

/** Lists a page of the organizations of the caller. */
export function listOrganizations(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<OrganizationRow>> {
  const rows = db
    .selectFrom('organizations')
    .leftJoin('users as owner', 'owner.id', 'organizations.owner_id')
    .selectAll('organizations')
    .where(visibleTo(principal))
  return listPage(rows, query, organizationFields, columns)
}

/** Administrators see all. */
function visibleTo(principal: Principal) {
  if (principal.role === 'admin') return sql<SqlBool>`true`
  return sql<SqlBool>`organizations.id = any(${memberOf(principal)}::int[])`
}
