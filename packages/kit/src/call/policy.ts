import type { Relation } from '@reticle/contracts/rest/relations'
import type { Principal } from './context.ts'
import { forbidden } from './errors.ts'

/**
 * Permission for a cell of a rule. `is` lists relations of the caller to the object, any of which suffices (absent: no
 * relation is needed), and `role` is the lowest global role. Administrators are permitted everything. See
 * docs/spec/access.md#permissions.
 */
export interface Grant {
  is?: readonly Relation[]
  role: 'any' | 'worker' | 'user'
}

export interface Rule {
  action: string
  /** Objects without an organization. */
  sandbox: Grant | 'nobody'
  /** Owners and maintainers of the organization of the object, with at least the global role user. */
  leader: Grant | 'nobody'
  /** Supervisors and workers of the organization, and leaders with a lower global role. */
  member: Grant | 'nobody'
}

/** Relation of the caller to the object. */
export interface Standing {
  /** Null if the object belongs to no organization. */
  organization_id: number | null
  /** One of owner, maintainer, supervisor, worker; null if the caller is not a member. */
  organization_role: string | null
  relations: readonly Relation[]
}

/** Returns the names of the relations that hold: `{ 'project owner': isOwner }`. */
export function listRelations(holds: Readonly<Partial<Record<Relation, boolean>>>): Relation[] {
  return (Object.keys(holds) as Relation[]).filter((name) => holds[name])
}

const rank = { any: 0, worker: 1, user: 2, admin: 3 } as const

/**
 * Returns true if the rules permit the action.
 * @throws Error for an action without a rule, which is a bug
 */
export function hasPermission(
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

/**
 * Checks the permission.
 * @throws DomainError `forbidden` if it is missing
 */
export function assertPermitted(
  rules: readonly Rule[],
  action: string,
  principal: Pick<Principal, 'role'>,
  standing: Standing,
): void {
  if (!hasPermission(rules, action, principal, standing)) throw forbidden()
}

function cell(rule: Rule, role: Principal['role'], standing: Standing): Grant | 'nobody' {
  const { organization_id, organization_role } = standing
  if (organization_id === null) return rule.sandbox
  if (organization_role === null) return 'nobody'
  const leads = organization_role === 'owner' || organization_role === 'maintainer'
  return leads && rank[role ?? 'any'] >= rank.user ? rule.leader : rule.member
}
