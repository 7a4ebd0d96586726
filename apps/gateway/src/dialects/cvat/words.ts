import type { Expression, Value } from '@reticle/contracts/rest/json-logic'
import { z } from 'zod'
import type { RecordFields } from '../../call/dialect.ts'

/** Native words by client word. A missing word is the same in both. */
export type Words = ReadonlyMap<string, readonly string[]>

const given = z.object({ filter: z.custom<Expression>().optional() })

/** Translates the words for one field in the parsed query of a list. */
export function withWords(input: RecordFields, field: string, words: Words): RecordFields {
  const { [field]: simple, ...rest } = input
  const { filter } = given.parse(input)
  const conditions = filter ? [reworded(filter, field, words)] : []
  if (typeof simple === 'string') conditions.push(oneOf(field, [simple], words))
  const [first, ...others] = conditions
  if (!first) return input
  return { ...rest, filter: others.length > 0 ? { op: 'and', of: conditions } : first }
}

function reworded(one: Expression, field: string, words: Words): Expression {
  switch (one.op) {
    case 'and':
    case 'or':
      return { ...one, of: one.of.map((inner) => reworded(inner, field, words)) }
    case 'not':
      return { ...one, of: reworded(one.of, field, words) }
    case '==':
      return one.field === field ? oneOf(field, [one.value], words) : one
    case 'in':
      return one.field === field ? oneOf(field, one.values, words) : one
    case 'contains':
      return one.field === field ? containing(one, words) : one
    default:
      return one
  }
}

function oneOf(field: string, values: readonly Value[], words: Words): Expression {
  const meant = values.flatMap((value): readonly Value[] => words.get(String(value)) ?? [value])
  const [only, ...others] = meant
  if (only !== undefined && others.length === 0) return { op: '==', field, value: only }
  return { op: 'in', field, values: meant }
}

/** Translates a substring filter: it also matches the native words of every client word that contains the text. */
function containing(one: Extract<Expression, { op: 'contains' }>, words: Words): Expression {
  const part = one.text.toLowerCase()
  const known = [...words].filter(([word]) => word.toLowerCase().includes(part))
  const values = known.flatMap(([, meant]) => meant)
  if (values.length === 0) return one
  return { op: 'or', of: [one, { op: 'in', field: one.field, values }] }
}
