import type { OperationInput } from '@reticle/contracts/api/operation'
import type { organizations } from '@reticle/contracts/api/organizations'
import { invitationFields } from '@reticle/contracts/rest/organizations'
import type { Principal } from '@reticle/contracts/rest/principal'
import { type ColumnsOf, listPage } from '@reticle/kit/list/list'
import type { ListPage } from '@reticle/kit/list/page'
import { type Kysely, type SqlBool, sql } from 'kysely'
import { leaderOf } from '../../access/roles.ts'
import type { ProjectsDb } from '../../db/schema.ts'
import { type InvitationView, selectInvitations } from './repo.ts'

type Query = OperationInput<typeof organizations.listInvitations>

const columns = {
  owner: 'sender.username',
  user_id: 'memberships.user_id',
  accepted: 'memberships.is_active',
  id: 'invitations.id',
  created_date: 'invitations.created_date',
} as const satisfies ColumnsOf<typeof invitationFields>

/** Lists a page of the invitations that the caller may see. */
export function listInvitations(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<InvitationView>> {
  const rows = selectInvitations(db)
    .leftJoin('users as sender', 'sender.id', 'invitations.owner_id')
    .innerJoin('users as invitee', 'invitee.id', 'memberships.user_id')
    .where(visibleTo(principal))
  return listPage(rows, query, invitationFields, columns)
}

/**
 * Restricts to sent and received invitations, and those of organizations that the caller leads; an organization in
 * the request limits the list to it. A received one to an unverified address is hidden until it is accepted, because
 * the record contains the key that proves the address.
 */
function visibleTo(principal: Principal) {
  const { scope, role, user_id } = principal
  const id = scope?.organization_id
  const inScope =
    id == null ? sql<SqlBool>`true` : sql<SqlBool>`memberships.organization_id = ${id}`
  const received = sql<SqlBool>`(
    memberships.user_id = ${user_id} and (invitee.is_email_verified or memberships.is_active))`
  const own = sql<SqlBool>`(invitations.owner_id = ${user_id} or ${received})`
  if (scope !== null && id === null) return own
  if (role === 'admin') return inScope
  const led = sql<SqlBool>`memberships.organization_id = any(${leaderOf(principal)}::int[])`
  return sql<SqlBool>`${inScope} and (${own} or ${led})`
}
