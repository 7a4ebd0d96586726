import type { Principal } from '@reticle/contracts/rest/principal'
import { listRelations, type Standing } from '@reticle/kit/call/policy'
import { roleIn } from '../../access/roles.ts'
import type { InvitationView } from './repo.ts'

/** Returns the relations of the caller to future invitations of an organization. */
export function invitingStanding(
  principal: Pick<Principal, 'organization_roles'>,
  organization_id: number,
): Standing {
  const organization_role = roleIn(principal, organization_id)
  const relations = listRelations({ 'organization owner': organization_role === 'owner' })
  return { organization_id, organization_role, relations }
}

/**
 * Returns the relations of the caller to an invitation. A caller who is not a member of its organization is treated
 * as outside organizations.
 */
export function invitationStanding(
  principal: Principal,
  row: Pick<InvitationView, 'organization_id' | 'owner_id' | 'user_id'>,
): Standing {
  const organization_role = roleIn(principal, row.organization_id)
  return {
    organization_id: organization_role === null ? null : row.organization_id,
    organization_role,
    relations: listRelations({
      sender: row.owner_id === principal.user_id,
      invitee: row.user_id === principal.user_id,
    }),
  }
}
