import type { Membership, User } from '@reticle/sdk'

export type MembershipRole = Membership['role']

/** Role of a user in an organization; administrators are above all roles. */
export interface MemberStanding {
  role: MembershipRole | undefined
  isAdmin: boolean
}

export const isAdministrator = (self: User) => self.groups.includes('admin')

export const isOwner = ({ role, isAdmin }: MemberStanding) => isAdmin || role === 'owner'
export const isLeader = (standing: MemberStanding) =>
  isOwner(standing) || standing.role === 'maintainer'

/** Returns the roles that a user may give, lowest first. Ownership is transferred by `transferOrganization` only. */
export function rolesToGive(standing: MemberStanding): ('worker' | 'supervisor' | 'maintainer')[] {
  if (isOwner(standing)) return ['worker', 'supervisor', 'maintainer']
  return isLeader(standing) ? ['worker', 'supervisor'] : []
}

/** Owners are above all others, maintainers above supervisors and workers. */
export const isAbove = (standing: MemberStanding, role: MembershipRole) =>
  rolesToGive(standing).some((one) => one === role)

/**
 * Returns whether a user may create projects and tasks (`docs/permissions.md`): not workers of the server or of the
 * organization.
 */
export const canCreateTasks = (self: Pick<User, 'groups'>, { role, isAdmin }: MemberStanding) =>
  isAdmin || (self.groups.includes('user') && role !== 'worker')
