import type { Grant, Rule } from '@reticle/kit/call/policy'

/**
 * Permissions on access tokens: users manage their own tokens, administrators all. Tokens belong to no organization.
 */

const owner: Grant = { is: ['owner'], role: 'any' }

export const accessTokenRules: readonly Rule[] = [
  { action: 'view', sandbox: owner, leader: 'nobody', member: 'nobody' },
  { action: 'update', sandbox: owner, leader: 'nobody', member: 'nobody' },
  { action: 'delete', sandbox: owner, leader: 'nobody', member: 'nobody' },
]
