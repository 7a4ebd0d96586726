import type { z } from 'zod'
import { formatIssue } from './validation.ts'

/** Gives other work of the process its turn when needed (`createPacer`). */
type Pace = () => Promise<void>
type Schema = z.core.$ZodType
type Issue = z.core.$ZodIssue
type Parsed<T> = { data: T; issues?: undefined } | { data?: undefined; issues: Issue[] }

/** Number of items of a list that are parsed at once; a mistake among them ends the parsing of a longer list. */
const itemsAtOnce = 100

/**
 * Parses input of a client. Long lists are checked in slices, with turns for other work, and only up to the first slice
 * with a mistake, so that mistakes do not cost more than valid values.
 */
export async function parseInSteps<S extends z.ZodType>(
  schema: S,
  given: unknown,
  pace: Pace,
): Promise<Parsed<z.infer<S>>> {
  const issues = await checkLists(schema, given, pace)
  if (issues.length > 0) return { issues }
  const { data, error } = schema.safeParse(given, { error: formatIssue })
  return error ? { issues: error.issues } : { data }
}

/** Returns the issues of the first invalid slice of a long list, at any depth. */
async function checkLists(schema: Schema, value: unknown, pace: Pace): Promise<Issue[]> {
  if (typeof value !== 'object' || value === null) return []
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return checkLists(def.innerType, value, pace)
    case 'object':
      return checkMembers(def.shape, value, pace)
    case 'array':
      return Array.isArray(value) ? checkItems(def.element, value, pace) : []
    default:
      return []
  }
}

async function checkMembers(
  shape: Readonly<Record<string, Schema>>,
  value: object,
  pace: Pace,
): Promise<Issue[]> {
  for (const [key, member] of Object.entries(shape)) {
    if (!Object.hasOwn(value, key)) continue
    const issues = await checkLists(member, Reflect.get(value, key), pace)
    if (issues.length > 0) return below(key, issues)
  }
  return []
}

async function checkItems(
  element: Schema,
  items: readonly unknown[],
  pace: Pace,
): Promise<Issue[]> {
  for (let from = 0; from < items.length; from += itemsAtOnce) {
    await pace()
    const issues: Issue[] = []
    for (const [index, item] of items.slice(from, from + itemsAtOnce).entries()) {
      const inside = await checkLists(element, item, pace)
      const isLong = items.length > itemsAtOnce && inside.length === 0
      const found = isLong ? issuesOf(element, item) : inside
      issues.push(...below(from + index, found))
    }
    if (issues.length > 0) return issues
  }
  return []
}

function issuesOf(schema: Schema, value: unknown): Issue[] {
  return (schema as z.ZodType).safeParse(value, { error: formatIssue }).error?.issues ?? []
}

const below = (key: PropertyKey, issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: [key, ...issue.path] }))
