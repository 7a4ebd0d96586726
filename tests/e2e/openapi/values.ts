import type { AnyJson } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import type { DocumentSchema, OpenapiDocument } from './document.ts'

/** Known values: ids by the kind of object, and texts by the name of their parameter. */
export type Known = Record<string, AnyJson[]>

/** Kinds of objects for parameters and fields whose name is not that of the kind. */
const standFor: Record<string, string> = {
  ...{ org_id: 'organization', assignee_id: 'user', owner_id: 'user', assignee: 'user' },
  ...{ spec_id: 'attribute', frame_id: 'frame', number: 'frame', start_frame: 'frame' },
}

/** Kind of object that a name refers to: `project_id` and `project` are projects. */
export const kindOf = (name: string): string => standFor[name] ?? name.replace(/_id$/, '')

const deepest = 5

/** Picks a known value, mostly the first one, because the first values of all kinds belong together. */
export const likely = ({ isTrue, below }: Random, known: readonly AnyJson[]): AnyJson =>
  known[isTrue(0.5) ? 0 : below(known.length)]

/** Generates values that a schema allows, preferring known values for the name. */
export function openValues(
  random: Random,
  { resolved }: Pick<OpenapiDocument, 'resolved'>,
  known: Known,
) {
  const { pick, below, isTrue } = random

  function sample(schema: DocumentSchema, name: string, depth = 0): AnyJson {
    const one = resolved(schema)
    const there = known[kindOf(name)]?.filter((value) => isOfType(one, value)) ?? []
    if (there.length > 0 && isTrue(0.9)) return structuredClone(likely(random, there))
    const [first, ...others]: DocumentSchema[] = one.anyOf ?? one.oneOf ?? []
    if (first) return sample(isTrue(0.8) ? first : pick([first, ...others]), name, depth)
    return made(one, name, depth)
  }

  function made(schema: DocumentSchema, name: string, depth: number): AnyJson {
    if (schema.enum) return isTrue(0.5) ? schema.enum[0] : pick(schema.enum)
    const ways: Record<string, () => AnyJson> = {
      object: () => object(schema, depth),
      array: () => array(schema, name, depth),
      string: () => text(schema),
      boolean: () => isTrue(0.5),
      null: () => null,
      integer: () => Math.round(number(schema)),
      number: () => number(schema),
    }
    return ways[schema.type]?.() ?? pick<AnyJson>([1, 'x', { a: [1] }])
  }

  function object({ properties = {}, required = [] }: DocumentSchema, depth: number): AnyJson {
    const chance = depth >= deepest ? 0 : pick([0, 0, 0.15, 0.5])
    const chosen = Object.entries<DocumentSchema>(properties).filter(
      ([key]) => required.includes(key) || isTrue(chance),
    )
    return Object.fromEntries(chosen.map(([key, one]) => [key, sample(one, key, depth + 1)]))
  }

  function array(
    { items = {}, minItems = 0 }: DocumentSchema,
    name: string,
    depth: number,
  ): AnyJson[] {
    const length = minItems + (depth >= deepest ? 0 : below(3))
    return Array.from({ length }, () => sample(items, name.replace(/s$/, ''), depth + 1))
  }

  /** Picks a number, mostly a small one, since small numbers are valid counts and ids more often. */
  function number({ minimum = 0, maximum = 100 }: DocumentSchema): number {
    const least = Math.max(minimum, 0)
    return least + random.next() * (Math.min(maximum, least + 100) - least)
  }

  function text({ format, pattern, minLength = 0, maxLength = 100 }: DocumentSchema): string {
    if (format === 'date-time') return new Date(1.7e12 + below(1e10)).toISOString()
    if (format === 'uuid') return '00000000-0000-4000-8000-000000000000'
    if (pattern?.startsWith('^[1-9]')) return String(1 + below(1000))
    const words = pick(['a', 'car', 'Größe 🚗', 'two words', 'x_1', `n${below(1e6)}`])
    return words.padEnd(minLength, 'x').slice(0, Math.max(maxLength, minLength))
  }

  return sample
}

function isOfType({ type, anyOf, enum: words }: DocumentSchema, value: AnyJson): boolean {
  if (anyOf) return anyOf.some((one: DocumentSchema) => isOfType(one, value))
  if (words) return words.includes(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === undefined ? false : typeof value === type
}
