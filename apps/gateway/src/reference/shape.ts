import { z } from 'zod'
import { nameOf, type ReferenceSchema } from './document.ts'
import { escapeHtml, renderSchemaLink } from './html.ts'

const shape = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.looseObject({})).optional(),
  items: z.looseObject({}).optional(),
  properties: z.record(z.string(), z.looseObject({})).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.unknown().optional(),
})

/** Bounds from this value only reflect the size of an integer, so they are not shown. */
const wide = 2 ** 31 - 1

/** Describes a schema in a few words, with links to the schemas that it names. */
export function formatSchema(given: ReferenceSchema): string {
  const one = shape.parse(given)
  if (one.$ref) return renderSchemaLink(nameOf(one.$ref))
  if (one.enum) return one.enum.map((word) => escapeHtml(JSON.stringify(word))).join(' | ')
  if (one.anyOf) return one.anyOf.map(formatSchema).join(' or ')
  if (one.type === 'array') return `list of ${formatSchema(one.items ?? {})}`
  if (one.properties) return `form of ${membersOf(one.properties)}`
  return escapeHtml(`${one.format ?? one.type ?? 'any'}${boundsOf(one)}${defaultOf(one)}`)
}

const membersOf = (properties: Record<string, ReferenceSchema>) =>
  Object.entries(properties)
    .map(([name, schema]) => `${escapeHtml(name)}: ${formatSchema(schema)}`)
    .join(', ')

function boundsOf({ minimum, maximum }: z.infer<typeof shape>): string {
  const least = minimum !== undefined && Math.abs(minimum) < wide ? ` from ${minimum}` : ''
  return maximum !== undefined && Math.abs(maximum) < wide ? `${least} to ${maximum}` : least
}

const defaultOf = ({ default: given }: z.infer<typeof shape>) =>
  given === undefined || given === '' ? '' : `, default ${JSON.stringify(given)}`
