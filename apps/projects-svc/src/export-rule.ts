import type { Grant, Rule } from '@reticle/kit/call/policy'

const ownersOnly: Grant = {
  is: [
    'project owner',
    'task owner',
    'project staff above workers',
    'task staff above workers',
    'job staff above workers',
  ],
  role: 'any',
}

/**
 * Returns rules of projects, tasks or jobs under which workers of an organization export only objects that they own.
 */
export function restrictExports(rules: readonly Rule[]): readonly Rule[] {
  return rules.map((rule) => (rule.action === 'export' ? { ...rule, member: ownersOnly } : rule))
}
