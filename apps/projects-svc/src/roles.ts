import type { OrganizationRole, Principal } from '@reticle/contracts/principal'
import type { Standing } from '@reticle/kit/policy'

/** What a caller is in organizations (`spec/api-workspace.md` 1.9, 2.5). Pure. */

type Member = Pick<Principal, 'role' | 'organization_roles'>

/** The caller's role there; null: no active member, or no organization. */
export function roleIn(
  { organization_roles }: Pick<Member, 'organization_roles'>,
  organization_id: number | null,
): OrganizationRole | null {
  return organization_id === null ? null : (organization_roles[organization_id] ?? null)
}

export const isLeader = (role: string | null) => role === 'owner' || role === 'maintainer'

/** Organizations of which the caller is an active member. */
export function memberOf({ organization_roles }: Member): number[] {
  return Object.keys(organization_roles).map(Number)
}

/** Organizations of which the caller sees everything: an owner or maintainer who is at least a user. */
export function leaderOf({ role, organization_roles }: Member): number[] {
  if (role !== 'user' && role !== 'admin') return []
  const led = Object.entries(organization_roles).filter(([, one]) => isLeader(one))
  return led.map(([id]) => Number(id))
}

/** Organizations in which the caller is a supervisor who is at least a user. */
export function supervisorOf({ role, organization_roles }: Member): number[] {
  if (role !== 'user' && role !== 'admin') return []
  const supervised = Object.entries(organization_roles).filter(([, one]) => one === 'supervisor')
  return supervised.map(([id]) => Number(id))
}

/** How the caller stands to the workspace that the request names: where it creates. None named: the personal one. */
export function workspaceStanding(principal: Principal): Standing {
  return standingIn(principal, principal.scope?.organization_id ?? null, [])
}

/** How the caller stands to what belongs to an organization, or to none. */
export function standingIn(
  member: Pick<Member, 'organization_roles'>,
  organization_id: number | null,
  relations: readonly string[],
): Standing {
  const organization_role = roleIn(member, organization_id)
  const isAboveWorker = organization_role !== null && organization_role !== 'worker'
  const staff = isAboveWorker ? relations.filter((one) => one.endsWith(' staff')) : []
  const above = staff.map((one) => `${one} above workers`)
  const all = [...relations, ...above, ...supervision(organization_role, relations)]
  return { organization_id, organization_role, relations: all }
}

function supervision(role: OrganizationRole | null, relations: readonly string[]): string[] {
  if (role !== 'supervisor') return []
  return ['supervisor', ...(relations.includes('task staff') ? ['supervising task staff'] : [])]
}
