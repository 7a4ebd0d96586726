import type { Grant, Rule } from '@reticle/kit/call/policy'

/**
 * Permissions on accounts: users manage their own, administrators all. Accounts belong to no organization. The list
 * and the record decide which fields other users see.
 */

const self: Grant = { is: ['self'], role: 'any' }
/** A `fellow member` is an active member of the organization of the request, as is the caller. */
const known: Grant = { is: ['self', 'fellow member'], role: 'any' }

export const userRules: readonly Rule[] = [
  { action: 'view', sandbox: known, leader: 'nobody', member: 'nobody' },
  { action: 'update', sandbox: self, leader: 'nobody', member: 'nobody' },
  { action: 'update rights', sandbox: 'nobody', leader: 'nobody', member: 'nobody' },
  { action: 'delete', sandbox: self, leader: 'nobody', member: 'nobody' },
]
