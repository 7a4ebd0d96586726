import type { Principal } from '@reticle/contracts/principal'
import type { Standing } from '@reticle/kit/policy'
import { roleIn } from '../../access/roles.ts'
import type { InvitationView } from './repo.ts'

/** Returns the relations of the caller to future invitations of an organization. */
export function invitingStanding(
  principal: Pick<Principal, 'organization_roles'>,
  organization_id: number,
): Standing {
  const organization_role = roleIn(principal, organization_id)
  const relations = organization_role === 'owner' ? ['organization owner'] : []
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
  const sent = row.owner_id === principal.user_id ? ['sender'] : []
  const received = row.user_id === principal.user_id ? ['invitee'] : []
  return {
    organization_id: organization_role === null ? null : row.organization_id,
    organization_role,
    relations: [...sent, ...received],
  }
}
