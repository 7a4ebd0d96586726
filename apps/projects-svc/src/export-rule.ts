import type { Grant, Rule } from '@reticle/kit/call/policy'

const owners = ['project owner', 'task owner']
const above = ['project', 'task', 'job'].map((level) => `${level} staff above workers`)
const ownersOnly: Grant = { is: [...owners, ...above], role: 'any' }

/**
 * Returns rules of projects, tasks or jobs under which workers of an organization export only objects that they own.
 */
export function restrictExports(rules: readonly Rule[]): readonly Rule[] {
  return rules.map((rule) => (rule.action === 'export' ? { ...rule, member: ownersOnly } : rule))
}
