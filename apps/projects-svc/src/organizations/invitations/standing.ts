import type { Principal } from '@reticle/contracts/principal'
import type { Standing } from '@reticle/kit/policy'
import { roleIn } from '../../roles.ts'
import type { InvitationView } from './repo.ts'

/** How the caller stands to invitations into an organization that are yet to be made. */
export function invitingStanding(
  principal: Pick<Principal, 'organization_roles'>,
  organization_id: number,
): Standing {
  const organization_role = roleIn(principal, organization_id)
  const relations = organization_role === 'owner' ? ['organization owner'] : []
  return { organization_id, organization_role, relations }
}

/** Whoever is no member of the organization stands to its invitations as people do outside of organizations. */
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
