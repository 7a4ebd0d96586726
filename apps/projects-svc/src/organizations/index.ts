/**
 * Front door of the sealed folder of organizations, memberships and invitations
 * (docs/adr/0001-keep-users-and-organizations-in-projects-svc.md). Code outside may not read its tables or import
 * its other files.
 */
export type { OrganizationObjects } from './deps.ts'
export { invitationRules } from './invitations/policy.ts'
export { membershipRules } from './memberships/policy.ts'
export { membershipsOfUsers } from './memberships/users.ts'
export { checkPeople, type People, peopleOf, personOf } from './people.ts'
export { organizationRules } from './policy.ts'
export {
  holdOrganization,
  lockNamedOrganization,
  membersAmong,
  withOrganizationRoles,
} from './roles.ts'
export { organizationHandlers } from './rpc.ts'
