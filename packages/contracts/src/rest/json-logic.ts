import { z } from 'zod'
import { flag, integer, number, rawText } from './common.ts'
import { momentForm, readMoment, startOfDay } from './moments.ts'

/**
 * `filter` of lists: JSON Logic over the named fields of a list. The gateway parses it once; services receive the
 * expression below, with valid names and values. See docs/spec/rest.md#filters.
 */

/** Kind of a field, which determines valid comparisons. Values of a vocabulary are text. */
export type FieldKind = 'text' | 'integer' | 'number' | 'flag' | 'date'

/** Value of a field. A date is ISO 8601 in UTC; null means no value. */
export type Value = string | number | boolean | null

/**
 * Expression of a few basic operators, to which all others are reduced. It is always true or false: a missing value
 * equals only null, and matches no order comparison.
 */
export type Expression<N extends string = string> =
  | { op: 'and' | 'or'; of: Expression<N>[] }
  | { op: 'not'; of: Expression<N> }
  | { op: ComparisonOperator; field: N; value: Value }
  | { op: 'in'; field: N; values: Value[] }
  /** Ignores case. */
  | { op: 'contains'; field: N; text: string }

export type ComparisonOperator = '==' | '<' | '<=' | '>' | '>='

/** Maximum number of nested levels of an expression. */
export const deepest = 16
/** Maximum number of nodes of an expression. */
export const mostNodes = 256
/** Maximum number of items in all lists of an expression together. */
export const mostItems = 1000

/** Builds the parser of `filter` for a list with these fields. Errors are reported as one free text. */
export function createFilterSchema<N extends string>(
  kinds: Readonly<Record<N, FieldKind>>,
): z.ZodType<Expression<N>, string>
export function createFilterSchema(
  kinds: Readonly<Record<string, FieldKind>>,
): z.ZodType<unknown, string> {
  const read = (text: string, context: z.RefinementCtx): unknown => {
    try {
      return readLogic(text, kinds)
    } catch (thrown) {
      if (!(thrown instanceof LogicError)) throw thrown
      context.addIssue({ code: 'custom', message: thrown.message, params: { free_text: true } })
      return z.NEVER
    }
  }
  return z
    .string()
    .transform(read)
    .pipe(z.unknown())
    .meta({ description: `JSON Logic over ${Object.keys(kinds).join(', ')}` })
}

class LogicError extends Error {}

const refused = (why: string) => new LogicError(`filter: ${why}`)
const unreadable = (why: string) => refused(`can't parse filter expression: ${why}`)
const unsupported = (op: string, args: unknown) =>
  refused(`operation '${cut(op)}' with arguments '${shown(args)}' is not supported`)

interface Reading {
  kinds: ReadonlyMap<string, FieldKind>
  nodes: number
  items: number
}

function readLogic(text: string, kinds: Readonly<Record<string, FieldKind>>): Expression {
  const given = parsed(text)
  if (isEmpty(given)) throw new LogicError("filter shouldn't be empty")
  return readNode({ kinds: new Map(Object.entries(kinds)), nodes: 0, items: 0 }, given, 1)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw unreadable(thrown instanceof Error ? thrown.message : 'no JSON')
  }
}

const isEmpty = (given: unknown) =>
  given === null || given === '' || (typeof given === 'object' && Object.keys(given).length === 0)

type Read = (reading: Reading, op: string, args: unknown, depth: number) => Expression

function readNode(reading: Reading, given: unknown, depth: number): Expression {
  reading.nodes++
  if (depth > deepest || reading.nodes > mostNodes) throw tooComplex()
  const [first, ...others] = entriesOf(given)
  if (!first || others.length > 0)
    throw unreadable(`expected an object with one operator, but got '${shown(given)}'`)
  const [op, args] = first
  const read = operators.get(op)
  if (!read) throw unsupported(op, args)
  return read(reading, op, args, depth)
}

const tooComplex = () => refused('expression is too complex')

function entriesOf(given: unknown): [string, unknown][] {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  return isObject ? Object.entries(given) : []
}

const readAll =
  (op: 'and' | 'or'): Read =>
  (reading, name, args, depth) => ({
    op,
    of: listOf(name, args).map((one) => readNode(reading, one, depth + 1)),
  })

/** Parses `{"!": e}` and `{"!": [e]}`. */
const readOnly: Read = (reading, op, args, depth) => {
  const [inner, ...others] = Array.isArray(args) ? args : [args]
  if (inner === undefined || others.length > 0) throw unsupported(op, args)
  return readNode(reading, inner, depth + 1)
}

const not = (of: Expression): Expression => ({ op: 'not', of })

const readEqual: Read = (reading, op, args) => {
  const [field, value] = sidesOf(reading, op, args)
  return { op: '==', field, value: readValue(reading, field, value) }
}

/** Operators with exchanged sides. */
const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

const readOrder =
  (op: keyof typeof mirrored): Read =>
  (reading, name, args) => {
    if (Array.isArray(args) && args.length === 3) return readBetween(op, reading, args)
    const [field, value, isMirrored] = sidesOf(reading, name, args)
    return ordered(reading, isMirrored ? mirrored[op] : op, field, value)
  }

/** Parses `{"<=": [low, {"var": f}, high]}`. */
function readBetween(op: keyof typeof mirrored, reading: Reading, args: unknown[]): Expression {
  const [low, middle, high] = args
  if ((op !== '<' && op !== '<=') || !isVar(middle)) throw unsupported(op, args)
  const field = fieldOf(reading, middle)
  const sides = [ordered(reading, mirrored[op], field, low), ordered(reading, op, field, high)]
  return { op: 'and', of: sides }
}

function ordered(
  reading: Reading,
  op: ComparisonOperator,
  field: string,
  given: unknown,
): Expression {
  const value = readValue(reading, field, given)
  if (value === null) throw notValid(given, field)
  return { op, field, value }
}

const readIn: Read = (reading, op, args) => {
  const [first, second, ...others] = listOf(op, args)
  if (others.length > 0) throw unsupported(op, args)
  if (isVar(first) && Array.isArray(second)) {
    const field = fieldOf(reading, first)
    reading.items += second.length
    if (reading.items > mostItems) throw tooComplex()
    return { op: 'in', field, values: second.map((one) => readValue(reading, field, one)) }
  }
  if (typeof first !== 'string' || !isVar(second)) throw unsupported(op, args)
  return readContains(reading, first, fieldOf(reading, second), args)
}

function readContains(reading: Reading, given: string, field: string, args: unknown): Expression {
  if (reading.kinds.get(field) !== 'text') throw unsupported('in', args)
  const text = values.text(given)
  if (text === undefined) throw notValid(given, field)
  return { op: 'contains', field, text: String(text) }
}

/** Parses a field alone, which means that it has a value. */
const readVar: Read = (reading, op, args) =>
  not({ op: '==', field: fieldOf(reading, { [op]: args }), value: null })

const operators = new Map<string, Read>([
  ['and', readAll('and')],
  ['or', readAll('or')],
  ['!', (...given) => not(readOnly(...given))],
  ['!!', readOnly],
  ['==', readEqual],
  ['===', readEqual],
  ['!=', (...given) => not(readEqual(...given))],
  ['!==', (...given) => not(readEqual(...given))],
  ['<', readOrder('<')],
  ['<=', readOrder('<=')],
  ['>', readOrder('>')],
  ['>=', readOrder('>=')],
  ['in', readIn],
  ['var', readVar],
])

function listOf(op: string, args: unknown): unknown[] {
  if (Array.isArray(args) && args.length > 0) return args
  throw refused(
    `operation '${op}' requires a non-empty list argument, but was given '${shown(args)}'`,
  )
}

/** Returns a field and a value, in either order. */
function sidesOf(reading: Reading, op: string, args: unknown): [string, unknown, boolean] {
  const given = listOf(op, args)
  const [left, right] = given
  if (given.length === 2 && isVar(left)) return [fieldOf(reading, left), right, false]
  if (given.length === 2 && isVar(right)) return [fieldOf(reading, right), left, true]
  throw unsupported(op, args)
}

function isVar(given: unknown): boolean {
  const entries = entriesOf(given)
  return entries.length === 1 && entries[0]?.[0] === 'var'
}

function fieldOf({ kinds }: Reading, given: unknown): string {
  const name = entriesOf(given)[0]?.[1]
  if (typeof name !== 'string') throw unsupported('var', name)
  if (!kinds.has(name)) throw refused(`term '${cut(name)}' is not supported`)
  return name
}

function readValue({ kinds }: Reading, field: string, given: unknown): Value {
  if (given === null) return null
  const kind = kinds.get(field) ?? 'text'
  const value = values[kind](given)
  if (value === undefined) throw notValid(given, field, kind === 'date' ? dateHint : '')
  return value
}

const notValid = (given: unknown, field: string, hint = '') =>
  refused(`value '${shown(given)}' is not valid for '${field}'${hint}`)
const dateHint = `; write a date as YYYY-MM-DD or ${momentForm}`

const textValue = rawText(64 * 1024)

const values: Record<FieldKind, (given: unknown) => string | number | boolean | undefined> = {
  text: (given) => textValue.safeParse(given).data,
  integer: (given) => integer.safeParse(given).data,
  number: (given) => number.safeParse(given).data,
  flag: (given) => flag.safeParse(given).data,
  // a day is its first moment; without an offset it is UTC
  date: (given) => (typeof given === 'string' ? readMoment(given, startOfDay) : undefined),
}

const cut = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
const shown = (given: unknown) => cut(typeof given === 'string' ? given : JSON.stringify(given))
