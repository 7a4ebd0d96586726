import recorded from './examples.json' with { type: 'json' }
import { jsonTypes } from './media-type.ts'
import type { Json } from './schemas.ts'

/**
 * What a server was sent and has answered, recorded by the story that makes every call (`tests/e2e/sdk/operations.test.ts`,
 * whose `-u` records it anew): by the name of an operation its answer, with `Body` behind what was sent to it, by the name of
 * a failure that one.
 */
const examples: Record<string, unknown> = recorded

export const exampleComponents: Record<string, Json> = Object.fromEntries(
  Object.entries(examples).map(([name, value]) => [name, { value }]),
)

/** JSON as it is described, with the example of this name where there is one. */
export function jsonLike(schema: Json, name: string): Json {
  const own = name in examples && {
    examples: { recorded: { $ref: `#/components/examples/${name}` } },
  }
  return Object.fromEntries(jsonTypes.map((type) => [type, { schema, ...own }]))
}

/** Of what is sent to an operation. */
export const bodyOf = (operation: string): string => `${operation}Body`
