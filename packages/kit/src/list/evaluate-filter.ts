import type { Expression, Value } from '@reticle/contracts/rest/json-logic'

/** Function that reads a field of a row as a `Value`; dates are in UTC with milliseconds, as in expressions. */
export type ReadValue<N extends string> = (field: N) => Value

/**
 * Evaluates an expression of `filter` in memory, with the same result
 * as `conditionOf`, for values that no column contains.
 */
export function evaluateFilter<N extends string>(
  expression: Expression<N>,
  read: ReadValue<N>,
): boolean {
  switch (expression.op) {
    case 'and':
      return expression.of.every((one) => evaluateFilter(one, read))
    case 'or':
      return expression.of.some((one) => evaluateFilter(one, read))
    case 'not':
      return !evaluateFilter(expression.of, read)
    case 'in':
      return expression.values.includes(read(expression.field))
    case 'contains':
      return contains(read(expression.field), expression.text)
    case '==':
      return read(expression.field) === expression.value
    default:
      return isOnSide(expression.op, read(expression.field), expression.value)
  }
}

const contains = (value: Value, text: string) =>
  typeof value === 'string' && value.toLowerCase().includes(text.toLowerCase())

function isOnSide(op: '<' | '<=' | '>' | '>=', value: Value, limit: Value): boolean {
  if (value === null || limit === null) return false
  switch (op) {
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '>':
      return value > limit
    case '>=':
      return value >= limit
  }
}
