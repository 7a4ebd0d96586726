/**
 * Front door of the sealed room of organizations, who belongs to them and who is asked to (`design.md` 2, ADR 0001): nothing
 * outside reads its tables or files in another way.
 */
export type { OrganizationObjects } from './deps.ts'
export { invitationRules } from './invitations/policy.ts'
export { membershipRules } from './memberships/policy.ts'
export { membershipsOfUsers } from './memberships/users.ts'
export { organizationRules } from './policy.ts'
export { holdOrganization, knowingRoles, lockNamed, membersAmong } from './roles.ts'
export { organizationHandlers } from './rpc.ts'
