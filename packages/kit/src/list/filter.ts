import type { Expression, Value } from '@reticle/contracts/rest/json-logic'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { toLikePattern } from './search.ts'

/** Function that returns the SQL of the column of a field. */
export type ColumnOf = (name: string) => RawBuilder<unknown>

/**
 * Converts an expression of `filter` to a condition. Like other SQL conditions it may be null instead of false; rows
 * with either are excluded, and only a negation must distinguish them. Indexes therefore apply as usual. See
 * docs/spec/rest.md#filters.
 */
export function conditionOf(expression: Expression, columnOf: ColumnOf): RawBuilder<SqlBool> {
  const inner = (one: Expression) => conditionOf(one, columnOf)
  switch (expression.op) {
    case 'and':
      return sql`(${sql.join(expression.of.map(inner), sql` and `)})`
    case 'or':
      return sql`(${sql.join(expression.of.map(inner), sql` or `)})`
    case 'not':
      return sql`((${inner(expression.of)}) is not true)`
    case 'in':
      return memberOf(columnOf(expression.field), expression.values)
    case 'contains':
      return sql`${columnOf(expression.field)} ilike ${toLikePattern(expression.text)}`
    case '==':
      return equalTo(columnOf(expression.field), expression.value)
    default:
      return sql`${columnOf(expression.field)} ${signs[expression.op]} ${expression.value}`
  }
}

const signs = { '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` } as const

export function equalTo(column: RawBuilder<unknown>, value: unknown): RawBuilder<SqlBool> {
  return value === null ? sql`${column} is null` : sql`${column} = ${value}`
}

function memberOf(column: RawBuilder<unknown>, values: readonly Value[]): RawBuilder<SqlBool> {
  const present = sql<SqlBool>`${column} = any(${values.filter((value) => value !== null)})`
  return values.includes(null) ? sql`(${present} or ${column} is null)` : present
}

/** Returns true if the expression refers to one of these fields. */
export function hasAnyField(expression: Expression, names: readonly string[]): boolean {
  switch (expression.op) {
    case 'and':
    case 'or':
      return expression.of.some((one) => hasAnyField(one, names))
    case 'not':
      return hasAnyField(expression.of, names)
    default:
      return names.includes(expression.field)
  }
}
