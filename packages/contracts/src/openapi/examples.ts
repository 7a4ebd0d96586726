import recorded from './examples.json' with { type: 'json' }
import { jsonTypes } from './media-type.ts'
import type { JsonObject } from './schemas.ts'

/**
 * Recorded requests and responses of a server. The test that makes every call (`tests/e2e/sdk/operations.test.ts`)
 * records them with `-u`. The key is the name of an operation for its response, that name with `Body` for its request,
 * or the name of a failure.
 */
const examples: Record<string, unknown> = recorded

export const exampleComponents: Record<string, JsonObject> = Object.fromEntries(
  Object.entries(examples).map(([name, value]) => [name, { value }]),
)

/** Builds JSON content with the example of this name, if there is one. */
export function jsonLike(schema: JsonObject, name: string): JsonObject {
  const own = name in examples && {
    examples: { recorded: { $ref: `#/components/examples/${name}` } },
  }
  return Object.fromEntries(jsonTypes.map((type) => [type, { schema, ...own }]))
}

/** Returns the name of the example of a request body. */
export const bodyOf = (operation: string): string => `${operation}Body`
