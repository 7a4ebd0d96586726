import type { Grant, Rule } from '@reticle/kit/policy'

/** Everybody manages their own tokens, administrators all (`spec/api-workspace.md` 2.3). Tokens belong to no organization. */

const owner: Grant = { is: ['owner'], role: 'any' }

export const accessTokenRules: readonly Rule[] = [
  { action: 'view', sandbox: owner, leader: 'nobody', member: 'nobody' },
  { action: 'update', sandbox: owner, leader: 'nobody', member: 'nobody' },
  { action: 'delete', sandbox: owner, leader: 'nobody', member: 'nobody' },
]
