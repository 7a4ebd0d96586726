import type { Principal } from '@reticle/contracts/rest/principal'
import { listRelations, type Standing } from '@reticle/kit/call/policy'
import { roleIn } from '../../access/roles.ts'
import type { MembershipView } from './repo.ts'

/** Relations of a caller to memberships. */

type Target = Pick<MembershipView, 'organization_id' | 'user_id' | 'role' | 'is_active'>

export function membershipStanding(principal: Principal, target: Target): Standing {
  const { organization_id, user_id, role, is_active } = target
  const organization_role = roleIn(principal, organization_id)
  const isSelf = user_id === principal.user_id
  const relations = listRelations({
    'organization owner': organization_role === 'owner',
    'of an active member': is_active,
    'active self': isSelf && is_active,
    leaver: isSelf && is_active && role !== 'owner',
    superior: !isSelf && isAbove(organization_role, role),
  })
  return { organization_id, organization_role, relations }
}

/** Owners rank above all others, maintainers above supervisors and workers. */
function isAbove(own: string | null, role: string): boolean {
  if (own === 'owner') return role !== 'owner'
  return own === 'maintainer' && (role === 'supervisor' || role === 'worker')
}
