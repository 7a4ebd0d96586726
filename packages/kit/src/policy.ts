import { forbidden } from './errors.ts'
import type { Principal } from './rpc/context.ts'

/**
 * Permission rules as rows (`spec/api-workspace.md` 2.5). A cell says who may act: `is` names relations of the caller to
 * the object (none named: anybody), `role` the least global role. Administrators may do everything.
 */
export interface Grant {
  is?: readonly string[]
  role: 'any' | 'worker' | 'user'
}

export interface Rule {
  action: string
  /** Objects without an organization. */
  sandbox: Grant | 'nobody'
  /** Owners and maintainers of the object's organization whose global role is at least user. */
  leader: Grant | 'nobody'
  /** Supervisors and workers of it, and leaders of a lower global role. */
  member: Grant | 'nobody'
}

/** How the caller stands to the object. */
export interface Standing {
  /** Null: the object belongs to no organization. */
  organization_id: number | null
  /** owner, maintainer, supervisor, worker; null: no member. */
  organization_role: string | null
  relations: readonly string[]
}

const rank = { any: 0, worker: 1, user: 2, admin: 3 } as const

/** May this caller do that? Pure; an action without a row is an error of ours. */
export function permits(
  rules: readonly Rule[],
  action: string,
  { role }: Pick<Principal, 'role'>,
  standing: Standing,
): boolean {
  const rule = rules.find((one) => one.action === action)
  if (!rule) throw new Error(`no rule for the action ${action}`)
  if (role === 'admin') return true
  const grant = cell(rule, role, standing)
  if (grant === 'nobody' || rank[role ?? 'any'] < rank[grant.role]) return false
  return !grant.is || grant.is.some((one) => standing.relations.includes(one))
}

/** Throws `forbidden` unless permitted. */
export function allow(
  rules: readonly Rule[],
  action: string,
  principal: Pick<Principal, 'role'>,
  standing: Standing,
): void {
  if (!permits(rules, action, principal, standing)) throw forbidden()
}

function cell(rule: Rule, role: Principal['role'], standing: Standing): Grant | 'nobody' {
  const { organization_id, organization_role } = standing
  if (organization_id === null) return rule.sandbox
  if (organization_role === null) return 'nobody'
  const leads = organization_role === 'owner' || organization_role === 'maintainer'
  return leads && rank[role ?? 'any'] >= rank.user ? rule.leader : rule.member
}
