import type { TargetGrant, TargetRule } from './project-policy.ts'

/** Permissions on annotation jobs (`docs/spec/access.md#permissions`). */

const staff: TargetGrant = { is: ['job staff'], role: 'any' }
const workingStaff: TargetGrant = { is: ['job staff'], role: 'worker' }
const staffOrGuest: TargetGrant = { is: ['job staff', 'guest'], role: 'any' }
const workingStaffOrGuest: TargetGrant = { is: ['job staff', 'guest'], role: 'worker' }
const anyTaskStaff: TargetGrant = { is: ['task staff'], role: 'any' }
const taskStaff: TargetGrant = { is: ['task staff'], role: 'worker' }
const user: TargetGrant = { role: 'user' }

const reading = ['view', 'data:read', 'annotations:read']
const working = ['update:state', 'update:meta', 'annotations:write', 'import']
const handing = ['update:stage', 'update:assignee']

export const jobRules: readonly TargetRule[] = [
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
