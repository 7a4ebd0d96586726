import type { FieldKind } from '@reticle/contracts/rest/json-logic'
import jsonLogic from 'json-logic-js'

type Row = Readonly<Record<string, unknown>>
type Node = Readonly<Record<string, unknown>>

/**
 * Builds a reference implementation of `filter` with `json-logic-js`. It differs from our filters in four ways, for
 * which expression and row are rewritten before: a field alone tests whether it has a value, a missing value matches no
 * comparison (JavaScript treats it as 0 and false), texts are searched regardless of case, and dates are compared as
 * moments in any notation.
 */
export function createFilterOracle(kinds: Readonly<Record<string, FieldKind>>) {
  return (expression: unknown, row: Row): boolean => {
    const data = { ...row, ...momentsOf(row, kinds), lower: lowered(row) }
    return Boolean(jsonLogic.apply(translated(expression, kinds) as never, data))
  }
}

type Kinds = Parameters<typeof createFilterOracle>[0]

function translated(given: unknown, kinds: Kinds): unknown {
  const [[op, args] = ['', undefined]] = Object.entries(Object(given))
  const list: unknown[] = Array.isArray(args) ? args : [args]
  switch (op) {
    case 'and':
    case 'or':
    case '!':
    case '!!':
      return { [op]: list.map((one) => translated(one, kinds)) }
    case 'var':
      return hasValue(given)
    case 'in':
      return typeof list[0] === 'string' ? contains(list[0], list[1]) : compared(op, list, kinds)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { and: [hasValue(list.find(isVar)), compared(op, list, kinds)] }
    default:
      return compared(op, list, kinds)
  }
}

const isVar = (given: unknown): given is Node =>
  typeof given === 'object' && given !== null && 'var' in given
const hasValue = (field: unknown) => ({ '!==': [field, null] })

/** The library never finds the empty text in another text. */
function contains(text: string, field: unknown) {
  if (text === '') return hasValue(field)
  const name = isVar(field) ? field.var : ''
  return { in: [text.toLowerCase(), { var: `lower.${name}` }] }
}

function compared(op: string, list: readonly unknown[], kinds: Kinds) {
  const field = list.find(isVar)
  const isDate = field !== undefined && kinds[String(field.var)] === 'date'
  const value = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(value)
    return isDate && typeof one === 'string' ? Date.parse(one) : one
  }
  return { [op]: list.map(value) }
}

function momentsOf(row: Row, kinds: Kinds): Row {
  const dates = Object.entries(row).filter(
    ([name, value]) => kinds[name] === 'date' && value !== null,
  )
  return Object.fromEntries(dates.map(([name, value]) => [name, Date.parse(String(value))]))
}

function lowered(row: Row): Row {
  const texts = Object.entries(row).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value).toLowerCase()]))
}
