import type { Principal } from '@reticle/contracts/rest/principal'
import { listRelations, type Standing } from '@reticle/kit/call/policy'
import { isLeader, roleIn } from '../access/roles.ts'

/** Relations of a caller to organizations. */

/** A new organization has no members yet. */
export const foundingStanding: Standing = {
  organization_id: null,
  organization_role: null,
  relations: [],
}

export function organizationStanding(
  principal: Pick<Principal, 'organization_roles'>,
  { id }: { id: number },
): Standing {
  const organization_role = roleIn(principal, id)
  const relations = listRelations({
    leader: isLeader(organization_role),
    'organization owner': organization_role === 'owner',
  })
  return { organization_id: id, organization_role, relations }
}
