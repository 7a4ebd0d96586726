import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on cloud storages (`docs/spec/access.md#permissions`). "view" includes using one. */

const owner: Grant = { is: ['storage owner'], role: 'any' }
const workingOwner: Grant = { is: ['storage owner'], role: 'worker' }
const reader: Grant = { is: ['storage owner', 'supervising user'], role: 'any' }
const user: Grant = { role: 'user' }

export const cloudStorageRules: readonly Rule[] = [
  { action: 'create', sandbox: user, leader: user, member: 'nobody' },
  { action: 'view', sandbox: owner, leader: user, member: reader },
  { action: 'update', sandbox: workingOwner, leader: user, member: workingOwner },
  { action: 'delete', sandbox: workingOwner, leader: user, member: workingOwner },
]
