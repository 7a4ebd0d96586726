import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Permissions on guides and their assets (`docs/spec/access.md#permissions`). The target is their project or task. */

const reader: Grant = { is: ['target staff', 'job assignee of the target'], role: 'worker' }
const staff: Grant = { is: ['target staff'], role: 'user' }
const user: Grant = { role: 'user' }

const reading = ['view', 'view:assets']
const writing = ['create', 'update', 'delete', 'add:assets', 'remove:assets']

export const guideRules: readonly Rule[] = [
  ...reading.map((action) => ({ action, sandbox: reader, leader: user, member: reader })),
  ...writing.map((action) => ({ action, sandbox: staff, leader: user, member: staff })),
]
