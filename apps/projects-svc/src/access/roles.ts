import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { isStaffRelation, type Relation } from '@reticle/contracts/rest/relations'
import { listRelations, type Standing } from '@reticle/kit/call/policy'

/** Roles of a caller in organizations. */

type Member = Pick<Principal, 'role' | 'organization_roles'>
type Reader = Member & Pick<Principal, 'only_own'>

/** Returns the role of the caller in an organization; null: not an active member, or no organization. */
export function roleIn(
  { organization_roles }: Pick<Member, 'organization_roles'>,
  organization_id: number | null,
): OrganizationRole | null {
  return organization_id === null ? null : (organization_roles[organization_id] ?? null)
}

export const isLeader = (role: string | null) => role === 'owner' || role === 'maintainer'

/** Returns the organizations of which the caller is an active member. */
export function memberOf({ organization_roles }: Member): number[] {
  return Object.keys(organization_roles).map(Number)
}

/**
 * Returns the organizations of which lists show the caller all objects: as owner or maintainer with the global role
 * user or above.
 */
export function leaderOf({ role, organization_roles, only_own }: Reader): number[] {
  if (only_own) return []
  if (role !== 'user' && role !== 'admin') return []
  const led = Object.entries(organization_roles).filter(([, one]) => isLeader(one))
  return led.map(([id]) => Number(id))
}

/** Returns the organizations of which lists show the caller what supervisors with the global role user or above see. */
export function supervisorOf({ role, organization_roles, only_own }: Reader): number[] {
  if (only_own) return []
  if (role !== 'user' && role !== 'admin') return []
  const supervised = Object.entries(organization_roles).filter(([, one]) => one === 'supervisor')
  return supervised.map(([id]) => Number(id))
}

/**
 * Returns the relations of the caller to the workspace of the request, in which objects are created; by default the
 * personal one.
 */
export function workspaceStanding(principal: Principal): Standing {
  return standingIn(principal, principal.scope?.organization_id ?? null, [])
}

/** Returns the relations of the caller to an object of an organization, or of none. */
export function standingIn(
  member: Pick<Member, 'organization_roles'>,
  organization_id: number | null,
  relations: readonly Relation[],
): Standing {
  const organization_role = roleIn(member, organization_id)
  const isAboveWorker = organization_role !== null && organization_role !== 'worker'
  const staff = isAboveWorker ? relations.filter(isStaffRelation) : []
  const above = staff.map((one) => `${one} above workers` as const)
  const all = [...relations, ...above, ...supervision(organization_role, relations)]
  return { organization_id, organization_role, relations: all }
}

function supervision(role: OrganizationRole | null, relations: readonly Relation[]): Relation[] {
  if (role !== 'supervisor') return []
  const isTaskStaff = relations.includes('task staff')
  return listRelations({ supervisor: true, 'supervising task staff': isTaskStaff })
}
