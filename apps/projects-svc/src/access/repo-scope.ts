import type { Principal } from '@reticle/contracts/rest/principal'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { leaderOf, memberOf } from './roles.ts'

/** Columns and conditions that decide which rows of a list are visible. */
export interface Ownership {
  /** Column of the row's organization; null: none. */
  organization: RawBuilder<unknown>
  /** Whether the caller is staff of the row. */
  isStaff: RawBuilder<SqlBool>
  /** Whether the caller may see the row without being a member of its organization. */
  isGuest?: RawBuilder<SqlBool>
}

/**
 * Builds the condition of visible rows in the workspace of the request: rows of which the caller is staff (in
 * organizations only as a member), and all rows of organizations that the caller leads. Administrators see all rows.
 */
export function visibleIn(principal: Principal, rows: Ownership): RawBuilder<SqlBool> {
  const inScope = scopeOf(principal, rows)
  if (principal.role === 'admin') return inScope
  return sql<SqlBool>`${inScope} and ${seenBy(principal, rows)}`
}

/** The caller without the limits of a list: for what a record shows of its parents. */
export const withoutScope = (principal: Principal): Principal => ({
  ...principal,
  scope: null,
  only_own: false,
})

function scopeOf({ scope }: Principal, { organization }: Ownership): RawBuilder<SqlBool> {
  if (scope === null) return sql<SqlBool>`true`
  const { organization_id } = scope
  if (organization_id === null) return sql<SqlBool>`${organization} is null`
  return sql<SqlBool>`${organization} = ${organization_id}`
}

function seenBy(principal: Principal, { organization, isStaff, isGuest }: Ownership) {
  const member = memberOf(principal)
  const guest = isGuest ? sql<SqlBool>`or ${isGuest}` : sql``
  if (member.length === 0) return sql<SqlBool>`(${organization} is null and ${isStaff} ${guest})`
  const own = sql<SqlBool>`(${organization} is null or ${organization} = any(${member}::int[]))`
  const led = sql<SqlBool>`${organization} = any(${leaderOf(principal)}::int[])`
  return sql<SqlBool>`(${own} and ${isStaff} or ${led} ${guest})`
}

/** Returns ids of the projects of which the user is staff, as SQL that runs once a statement. */
export const ownProjects = (user_id: number) => sql<number[]>`array(
  select id from projects where owner_id = ${user_id} or assignee_id = ${user_id})`
