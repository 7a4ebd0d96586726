import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on annotation jobs (`docs/spec/access.md#permissions`). */

const staff: Grant = { is: ['job staff'], role: 'any' }
const workingStaff: Grant = { is: ['job staff'], role: 'worker' }
const staffOrGuest: Grant = { is: ['job staff', 'guest'], role: 'any' }
const workingStaffOrGuest: Grant = { is: ['job staff', 'guest'], role: 'worker' }
const anyTaskStaff: Grant = { is: ['task staff'], role: 'any' }
const taskStaff: Grant = { is: ['task staff'], role: 'worker' }
const user: Grant = { role: 'user' }

const reading = ['view', 'data:read', 'annotations:read']
const working = ['update:state', 'update:meta', 'annotations:write', 'import']
const handing = ['update:stage', 'update:assignee']

export const jobRules: readonly Rule[] = [
  ...reading.map((action) => ({ action, sandbox: staff, leader: user, member: staffOrGuest })),
  { action: 'export', sandbox: staff, leader: user, member: staff },
  ...working.map((action) => ({
    action,
    sandbox: workingStaff,
    leader: user,
    member: workingStaffOrGuest,
  })),
  ...handing.map((action) => ({ action, sandbox: taskStaff, leader: user, member: taskStaff })),
  { action: 'validation:read', sandbox: anyTaskStaff, leader: user, member: anyTaskStaff },
  {
    action: 'delete',
    sandbox: { is: ['task staff'], role: 'user' },
    leader: user,
    member: { is: ['supervising task staff'], role: 'user' },
  },
]
