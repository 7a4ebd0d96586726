import type { Grant, Rule } from '@reticle/kit/policy'

/** How a caller may stand to a request. */
export type RequestRelation = 'request owner' | 'target viewer'

const everywhere = (action: string, grant: Grant): Rule => ({
  action,
  sandbox: grant,
  leader: grant,
  member: grant,
})

/** Who sees and stops requests (`spec/api-annotations.md` 2.2, 2.6). */
export const requestRules: readonly Rule[] = [
  everywhere('view', { is: ['request owner', 'target viewer'], role: 'any' }),
  everywhere('cancel', { is: ['request owner'], role: 'any' }),
  everywhere('download', { is: ['request owner'], role: 'any' }),
]
