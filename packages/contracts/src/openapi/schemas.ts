import { z } from 'zod'

export type Json = Record<string, unknown>
type Io = 'input' | 'output'
/** JSON Schema of a shape, as it is sent or as it is answered. */
export type SchemaOf = (schema: z.ZodType, io: Io) => Json

/** Schemas with `.meta({ id })` become members of `components`. */
export const schemasInto =
  (components: Record<string, Json>): SchemaOf =>
  (schema, io) =>
    toSchema(schema, io, components)

/** zod's own JSON Schema. Inside a wrapper even a schema that holds itself becomes a definition, not "#". */
function toSchema(schema: z.ZodType, io: Io, components: Record<string, Json>): Json {
  const wrapped = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: 'any' })
  const { properties, $defs } = JSON.parse(
    JSON.stringify(wrapped, published).replaceAll('"#/$defs/', '"#/components/schemas/'),
  )
  for (const [name, { id: _, ...part }] of Object.entries<Json>($defs ?? {})) {
    const isOther = components[name] && JSON.stringify(components[name]) !== JSON.stringify(part)
    if (isOther) throw new Error(`two shapes are called ${name}`)
    components[name] = part
  }
  return properties.it
}

/** Notes that tables make for us are no business of the document. */
function published(key: string, value: unknown): unknown {
  const isNote = key === 'link' || key === 'bytes' || key === 'tagged'
  return isNote && value === true ? undefined : value
}
