import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on tasks (`docs/spec/access.md#permissions`). */

const staff: Grant = { is: ['task staff'], role: 'any' }
const workingStaff: Grant = { is: ['task staff'], role: 'worker' }
const ownerOrProject: Grant = { is: ['task owner', 'project staff'], role: 'worker' }
const owners: Grant = { is: ['task owner', 'project owner'], role: 'worker' }
const user: Grant = { role: 'user' }
const supervisor: Grant = { is: ['supervisor'], role: 'user' }

const validation = ['validation:read', 'validation:write']
const reading = ['view', 'data:read', 'annotations:read', 'export', ...validation]
const working = ['update', 'upload:data', 'update:meta', 'annotations:write', 'import']
const handing = ['update:owner', 'update:assignee', 'update:project', 'delete']

export const taskRules: readonly Rule[] = [
  { action: 'create', sandbox: user, leader: user, member: supervisor },
  ...reading.map((action) => ({ action, sandbox: staff, leader: user, member: staff })),
  ...working.map((action) => ({
    action,
    sandbox: workingStaff,
    leader: user,
    member: workingStaff,
  })),
  ...handing.map((action) => ({
    action,
    sandbox: ownerOrProject,
    leader: user,
    member: ownerOrProject,
  })),
  { action: 'update:storages', sandbox: owners, leader: user, member: owners },
  {
    action: 'create:job',
    sandbox: { is: ['task staff'], role: 'user' },
    leader: user,
    member: { is: ['supervising task staff'], role: 'user' },
  },
]
