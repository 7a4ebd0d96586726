import type { Grant, Rule } from '@reticle/kit/call/policy'

/** Relations of a caller to a request. */
export type RequestRelation = 'request owner' | 'target viewer'

const everywhere = (action: string, grant: Grant): Rule => ({
  action,
  sandbox: grant,
  leader: grant,
  member: grant,
})

/** Permissions to view, cancel and download: docs/spec/access.md#permissions */
export const requestRules: readonly Rule[] = [
  everywhere('view', { is: ['request owner', 'target viewer'], role: 'any' }),
  everywhere('cancel', { is: ['request owner'], role: 'any' }),
  everywhere('download', { is: ['request owner'], role: 'any' }),
]
