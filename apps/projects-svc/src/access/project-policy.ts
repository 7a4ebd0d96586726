import type { Grant, Rule } from '@reticle/kit/policy'

/** Relations of a caller to a project, task or job, as `standing.ts` and `roles.ts` compute them. */
export type TargetRelation =
  | 'project owner'
  | 'project staff'
  | 'task owner'
  | 'task staff'
  | 'job staff'
  | 'guest'
  | 'supervisor'
  | 'supervising task staff'
  | `${'project' | 'task' | 'job'} staff above workers`

export interface TargetGrant extends Grant {
  is?: readonly TargetRelation[]
}

export interface TargetRule extends Rule {
  sandbox: TargetGrant | 'nobody'
  leader: TargetGrant | 'nobody'
  member: TargetGrant | 'nobody'
}

/** Permissions on projects (`docs/spec/access.md#permissions`). */

const staff: TargetGrant = { is: ['project staff'], role: 'any' }
const workingStaff: TargetGrant = { is: ['project staff'], role: 'worker' }
const owner: TargetGrant = { is: ['project owner'], role: 'worker' }
const user: TargetGrant = { role: 'user' }
const supervisor: TargetGrant = { is: ['supervisor'], role: 'user' }

export const projectRules: readonly TargetRule[] = [
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
