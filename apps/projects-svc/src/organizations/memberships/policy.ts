import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on memberships (`docs/spec/access.md#permissions`). */

const owner: Grant = { is: ['organization owner'], role: 'user' }
const leaver: Grant = { is: ['leaver'], role: 'worker' }

export const membershipRules: readonly Rule[] = [
  {
    action: 'view',
    sandbox: { is: ['active self'], role: 'any' },
    leader: { role: 'user' },
    member: { is: ['of an active member'], role: 'any' },
  },
  {
    action: 'update:role',
    sandbox: 'nobody',
    leader: { is: ['superior'], role: 'user' },
    member: 'nobody',
  },
  { action: 'grant:maintainer', sandbox: 'nobody', leader: owner, member: 'nobody' },
  {
    action: 'delete',
    sandbox: 'nobody',
    leader: { is: ['superior', 'leaver'], role: 'worker' },
    member: leaver,
  },
]
