import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on issues (`docs/spec/access.md#permissions`). */

const staff: Grant = { is: ['issue staff'], role: 'any' }
const workingStaff: Grant = { is: ['issue staff'], role: 'worker' }
const jobStaff: Grant = { is: ['job staff'], role: 'worker' }
const ownerOrTask: Grant = { is: ['issue owner', 'task staff'], role: 'worker' }
const user: Grant = { role: 'user' }

export const issueRules: readonly Rule[] = [
  { action: 'view', sandbox: staff, leader: user, member: staff },
  { action: 'create', sandbox: jobStaff, leader: user, member: jobStaff },
  { action: 'update', sandbox: workingStaff, leader: user, member: workingStaff },
  { action: 'delete', sandbox: ownerOrTask, leader: user, member: ownerOrTask },
]
