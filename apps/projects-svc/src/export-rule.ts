import type { Grant, Rule } from '@reticle/kit/policy'

const owners = ['project owner', 'task owner']
const above = ['project', 'task', 'job'].map((level) => `${level} staff above workers`)
const ownersOnly: Grant = { is: [...owners, ...above], role: 'any' }

/**
 * The rules of projects, tasks or jobs where workers of an organization export only what is their own
 * (`spec/api-workspace.md` 2.5, footnote 1).
 */
export function restrictExports(rules: readonly Rule[]): readonly Rule[] {
  return rules.map((rule) => (rule.action === 'export' ? { ...rule, member: ownersOnly } : rule))
}
