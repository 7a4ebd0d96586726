import type { Membership, User } from '@reticle/sdk'

export type Role = Membership['role']

/** Role of a user in an organization; administrators are above all roles. */
export interface Standing {
  role: Role | undefined
  isAdmin: boolean
}

export const isAdministrator = (self: User) => self.groups.includes('admin')

export const isOwner = ({ role, isAdmin }: Standing) => isAdmin || role === 'owner'
export const isLeader = (standing: Standing) => isOwner(standing) || standing.role === 'maintainer'

/** Returns the roles that a user may give, lowest first. Ownership is transferred by `transferOrganization` only. */
export function rolesToGive(standing: Standing): ('worker' | 'supervisor' | 'maintainer')[] {
  if (isOwner(standing)) return ['worker', 'supervisor', 'maintainer']
  return isLeader(standing) ? ['worker', 'supervisor'] : []
}

/** Owners are above all others, maintainers above supervisors and workers. */
export const isAbove = (standing: Standing, role: Role) =>
  rolesToGive(standing).some((one) => one === role)

/**
 * Returns whether a user may create projects and tasks (`docs/permissions.md`): not workers of the server or of the
 * organization.
 */
export const isMaker = (self: Pick<User, 'groups'>, { role, isAdmin }: Standing) =>
  isAdmin || (self.groups.includes('user') && role !== 'worker')
