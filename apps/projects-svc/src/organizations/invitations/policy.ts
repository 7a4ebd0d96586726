import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on invitations (`docs/spec/access.md#permissions`). */

const either: Grant = { is: ['sender', 'invitee'], role: 'any' }
const sender: Grant = { is: ['sender'], role: 'worker' }
const invitee: Grant = { is: ['invitee'], role: 'any' }
const user: Grant = { role: 'user' }
const owner: Grant = { is: ['organization owner'], role: 'user' }

const everywhere = (action: string, grant: Grant): Rule => ({
  action,
  sandbox: grant,
  leader: grant,
  member: grant,
})

/** Roles for which a member may invite; equal to the rules of `create`. */
const invites: Readonly<Record<OrganizationRole, readonly OrganizationRole[]>> = {
  owner: ['maintainer', 'supervisor', 'worker'],
  maintainer: ['supervisor', 'worker'],
  supervisor: [],
  worker: [],
}

/** Returns whether a member with the role `sender` may invite for `role`; `null`: not a member. */
export const mayInviteFor = (sender: OrganizationRole | null, role: OrganizationRole): boolean =>
  sender !== null && invites[sender].includes(role)

export const invitationRules: readonly Rule[] = [
  { action: 'create', sandbox: 'nobody', leader: user, member: 'nobody' },
  { action: 'create:maintainer', sandbox: 'nobody', leader: owner, member: 'nobody' },
  { action: 'view', sandbox: either, leader: user, member: either },
  { action: 'resend', sandbox: sender, leader: user, member: sender },
  { action: 'delete', sandbox: sender, leader: user, member: sender },
  everywhere('accept', invitee),
  everywhere('decline', invitee),
]
