import type { Grant, Rule } from '@reticle/kit/policy'

/**
 * Everybody looks after their own account, administrators after all (`spec/api-workspace.md` 2.4). Accounts belong to no
 * organization. What is shown to somebody else is a matter of the list and of the record, not of these.
 */

const self: Grant = { is: ['self'], role: 'any' }
/** A `fellow member` is an active member of the organization that the request names, where the caller is one too. */
const known: Grant = { is: ['self', 'fellow member'], role: 'any' }

export const userRules: readonly Rule[] = [
  { action: 'view', sandbox: known, leader: 'nobody', member: 'nobody' },
  { action: 'update', sandbox: self, leader: 'nobody', member: 'nobody' },
  { action: 'update rights', sandbox: 'nobody', leader: 'nobody', member: 'nobody' },
  { action: 'delete', sandbox: self, leader: 'nobody', member: 'nobody' },
]
