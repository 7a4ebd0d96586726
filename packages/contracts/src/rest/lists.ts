import { z } from 'zod'
import { filter, integer, listQuery, queryFlag } from './common.ts'
import { createFilterSchema, type FieldKind } from './json-logic.ts'

/** Fields of lists as data. Services define the columns with their values. See docs/spec/rest.md#list-fields. */

/** Type of a field: a kind of value, or a vocabulary. */
export type FieldType = FieldKind | readonly [string, ...string[]]
type Types = Readonly<Record<string, FieldType>>
/** Types of simple filters. Equality with a moment or a fraction is not useful. */
type SimpleTypes = Readonly<Record<string, Exclude<FieldType, 'date' | 'number'>>>

export interface ListFields<E extends SimpleTypes = SimpleTypes, M extends Types = Types> {
  /** Simple filters by equality. */
  equal: E
  /** Additional fields for `filter`. */
  more: M
  sort: readonly string[]
  search: readonly string[]
  /** Default order. */
  order: string
}

/** Names of all fields of a list. */
export type NameOf<F extends ListFields> = (keyof F['equal'] | keyof F['more']) & string

interface Given<E extends SimpleTypes, M extends Types, N extends string> {
  equal: E
  more: M
  search?: readonly N[]
  /** Fields that cannot be sorted by; all others can. */
  unsorted?: readonly N[]
  order: N | `-${N}`
}

export function listFields<
  const E extends SimpleTypes & { id: 'integer' | 'text' },
  const M extends Types = Record<never, FieldType>,
>(given: Given<E, M, NoInfer<(keyof E | keyof M) & string>>): ListFields<E, M> {
  const { equal, more, search = [], unsorted = [], order } = given
  const isSorted = (name: string) => !unsorted.some((one) => one === name)
  const sort = Object.keys({ ...equal, ...more }).filter(isSorted)
  return { equal, more, sort, search, order }
}

/** Largest number of characters of a search. */
export const longestSearch = 256

/** Builds the query of a list: pages, order, search, simple filters and `filter`. */
export function listOf<E extends SimpleTypes, M extends Types>(fields: ListFields<E, M>) {
  const { sort, search } = fields
  return z.object({
    ...listQuery,
    sort: listQuery.sort.meta({ description: `Names by commas, - descends: ${sort.join(', ')}` }),
    search: z
      .string()
      .max(longestSearch)
      .optional()
      .meta({ description: `Terms that each occur in one of ${search.join(', ')}` }),
    filter: filter(createFilterSchema(kindsOf(fields))),
    ...equalities(fields.equal),
  })
}

function kindsOf<E extends SimpleTypes, M extends Types>(
  fields: ListFields<E, M>,
): Record<NameOf<ListFields<E, M>>, FieldKind>
function kindsOf({ equal, more }: ListFields): Record<string, FieldKind> {
  const kinds = Object.entries({ ...equal, ...more }).map(([name, type]) => [
    name,
    typeof type === 'string' ? type : 'text',
  ])
  return Object.fromEntries(kinds)
}

/** Parsed value of a simple filter. */
type Read<T> = T extends readonly (infer W)[]
  ? W
  : T extends 'integer'
    ? number
    : T extends 'flag'
      ? boolean
      : string

function equalities<E extends SimpleTypes>(
  equal: E,
): { [N in keyof E]: z.ZodOptional<z.ZodType<Read<E[N]>>> }
function equalities(equal: SimpleTypes): Record<string, z.ZodType> {
  const readings = Object.entries(equal).map(([name, type]) => [name, filter(simpleOf(type))])
  return Object.fromEntries(readings)
}

const simple = { text: z.string(), integer, flag: queryFlag } as const

const simpleOf = (type: SimpleTypes[string]): z.ZodType =>
  typeof type === 'string' ? simple[type] : z.enum(type)
