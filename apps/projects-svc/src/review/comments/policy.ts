import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on comments (`docs/spec/access.md#permissions`). */

const staff: Grant = { is: ['issue staff', 'author'], role: 'any' }
const workingStaff: Grant = { is: ['issue staff'], role: 'worker' }
const workingAuthor: Grant = { is: ['issue staff', 'author'], role: 'worker' }
const user: Grant = { role: 'user' }

export const commentRules: readonly Rule[] = [
  { action: 'view', sandbox: staff, leader: user, member: staff },
  { action: 'create', sandbox: workingStaff, leader: user, member: workingStaff },
  { action: 'update', sandbox: workingAuthor, leader: user, member: workingAuthor },
  { action: 'delete', sandbox: workingAuthor, leader: user, member: workingAuthor },
]
