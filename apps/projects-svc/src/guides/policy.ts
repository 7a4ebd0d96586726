import type { Grant, Rule } from '@reticle/kit/policy'

/** Who may do what with guides and their assets; the target is the project or task they are of (`spec/api-workspace.md` 2.5). */

const reader: Grant = { is: ['target staff', 'job assignee of the target'], role: 'worker' }
const staff: Grant = { is: ['target staff'], role: 'user' }
const user: Grant = { role: 'user' }

const reading = ['view', 'view:assets']
const writing = ['create', 'update', 'delete', 'add:assets', 'remove:assets']

export const guideRules: readonly Rule[] = [
  ...reading.map((action) => ({ action, sandbox: reader, leader: user, member: reader })),
  ...writing.map((action) => ({ action, sandbox: staff, leader: user, member: staff })),
]
