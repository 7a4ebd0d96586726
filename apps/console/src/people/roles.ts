import type { Membership, User } from '@reticle/sdk'

export type Role = Membership['role']

/** How somebody stands to an organization: by their role in it, or above all of them. */
export interface Standing {
  role: Role | undefined
  isAdmin: boolean
}

export const isAdministrator = (self: User) => self.groups.includes('admin')

export const isOwner = ({ role, isAdmin }: Standing) => isAdmin || role === 'owner'
export const isLeader = (standing: Standing) => isOwner(standing) || standing.role === 'maintainer'

/** Which roles somebody may give, the least first; nobody gives away ownership by this (`transferOrganization` does). */
export function rolesToGive(standing: Standing): ('worker' | 'supervisor' | 'maintainer')[] {
  if (isOwner(standing)) return ['worker', 'supervisor', 'maintainer']
  return isLeader(standing) ? ['worker', 'supervisor'] : []
}

/** Owners stand above all others, maintainers above supervisors and workers. */
export const isAbove = (standing: Standing, role: Role) =>
  rolesToGive(standing).some((one) => one === role)

/** Who may make projects and tasks (`docs/permissions.md`): no workers, neither of the server nor of the organization. */
export const isMaker = (self: Pick<User, 'groups'>, { role, isAdmin }: Standing) =>
  isAdmin || (self.groups.includes('user') && role !== 'worker')
