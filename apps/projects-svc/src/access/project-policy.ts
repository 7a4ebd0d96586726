import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on projects (`docs/spec/access.md#permissions`). */

const staff: Grant = { is: ['project staff'], role: 'any' }
const workingStaff: Grant = { is: ['project staff'], role: 'worker' }
const owner: Grant = { is: ['project owner'], role: 'worker' }
const user: Grant = { role: 'user' }
const supervisor: Grant = { is: ['supervisor'], role: 'user' }

export const projectRules: readonly Rule[] = [
  { action: 'create', sandbox: user, leader: user, member: supervisor },
  { action: 'view', sandbox: staff, leader: user, member: staff },
  { action: 'export', sandbox: staff, leader: user, member: staff },
  { action: 'update', sandbox: workingStaff, leader: user, member: workingStaff },
  { action: 'import', sandbox: workingStaff, leader: user, member: workingStaff },
  { action: 'update:assignee', sandbox: owner, leader: user, member: owner },
  { action: 'update:owner', sandbox: 'nobody', leader: user, member: 'nobody' },
  { action: 'update:storages', sandbox: owner, leader: user, member: owner },
  { action: 'delete', sandbox: owner, leader: user, member: owner },
  {
    action: 'create:task',
    sandbox: { is: ['project staff'], role: 'user' },
    leader: user,
    member: { is: ['project staff', 'supervisor'], role: 'user' },
  },
]
