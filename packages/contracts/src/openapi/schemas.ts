import { z } from 'zod'

export type JsonObject = Record<string, unknown>
type Io = 'input' | 'output'
/** Function that returns the JSON Schema of a shape, in its request or response form. */
export type SchemaOf = (schema: z.ZodType, io: Io) => JsonObject

/** Builds a `SchemaOf` that adds schemas with `.meta({ id })` to `components`. */
export const schemasInto =
  (components: Record<string, JsonObject>): SchemaOf =>
  (schema, io) =>
    toSchema(schema, io, components)

/**
 * Converts a schema with zod. It is wrapped in an object, so that even a
 * recursive schema becomes a definition instead of "#".
 */
function toSchema(schema: z.ZodType, io: Io, components: Record<string, JsonObject>): JsonObject {
  const wrapped = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: 'any' })
  const { properties, $defs } = JSON.parse(
    JSON.stringify(wrapped, published).replaceAll('"#/$defs/', '"#/components/schemas/'),
  )
  for (const [name, { id: _, ...part }] of Object.entries<JsonObject>($defs ?? {})) {
    const isOther = components[name] && JSON.stringify(components[name]) !== JSON.stringify(part)
    if (isOther) throw new Error(`two shapes are called ${name}`)
    components[name] = part
  }
  return properties.it
}

/** Removes internal metadata of the tables from the document. */
function published(key: string, value: unknown): unknown {
  const isNote = key === 'link' || key === 'bytes'
  return isNote && value === true ? undefined : value
}
