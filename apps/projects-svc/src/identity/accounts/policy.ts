import type { Grant, Rule } from '@reticle/kit/policy'

/**
 * Everybody looks after their own account, administrators after all (`spec/api-workspace.md` 2.4). Accounts belong to no
 * organization. What is shown to somebody else is a matter of the list and of the record, not of these.
 */

const self: Grant = { is: ['self'], role: 'any' }

export const userRules: readonly Rule[] = [
  { action: 'view', sandbox: self, leader: 'nobody', member: 'nobody' },
  { action: 'update', sandbox: self, leader: 'nobody', member: 'nobody' },
  { action: 'update rights', sandbox: 'nobody', leader: 'nobody', member: 'nobody' },
  { action: 'delete', sandbox: self, leader: 'nobody', member: 'nobody' },
]
