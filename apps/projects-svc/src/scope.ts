import type { Principal } from '@reticle/contracts/principal'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { leaderOf, memberOf } from './roles.ts'

/** What of a list is whose: the column of its organization, and whose it is besides. */
export interface Ownership {
  /** Of the row's organization; null: none. */
  organization: RawBuilder<unknown>
  /** Is the caller of its staff? */
  isStaff: RawBuilder<SqlBool>
  /** May the caller see it without being a member of its organization? */
  isGuest?: RawBuilder<SqlBool>
}

/**
 * The rows of a list that the caller may see, within the workspace that the request names (`spec/api-workspace.md` 1.9, 2.5):
 * those whose staff one is, of organizations where one is a member, and all of those that one leads. Administrators see
 * everything.
 */
export function visibleIn(principal: Principal, rows: Ownership): RawBuilder<SqlBool> {
  const inScope = scopeOf(principal, rows)
  if (principal.role === 'admin') return inScope
  return sql<SqlBool>`${inScope} and ${seenBy(principal, rows)}`
}

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
