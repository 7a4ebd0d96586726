import { z } from 'zod'
import {
  type DocumentSchemas,
  nameOf,
  type ReferenceOperation,
  type ReferenceParameter,
  type ReferenceSchema,
} from './document.ts'

const shape = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.looseObject({})).optional(),
  properties: z.record(z.string(), z.looseObject({})).default({}),
  required: z.array(z.string()).default([]),
  items: z.looseObject({}).optional(),
  minItems: z.int().default(0),
  minimum: z.number().optional(),
})

/** Texts of examples by field name; for other fields the name itself is used. */
const texts: Record<string, string> = {
  format: 'COCO 1.0',
  type: 'frame',
  action: 'create',
  target_url: 'https://example.org/hook',
  events: 'update:task',
  email: 'somebody@example.org',
  timestamp: '2026-01-31T12:00:00Z',
}

/** Returns the smallest valid value of a schema; objects contain only required members. */
export function buildExample(
  given: ReferenceSchema,
  schemas: DocumentSchemas,
  name = 'text',
): unknown {
  const one = shape.parse(given)
  const inner = (schema: ReferenceSchema, key = name) => buildExample(schema, schemas, key)
  if (one.$ref) return inner(schemas[nameOf(one.$ref)] ?? {})
  if (one.enum) return one.enum[0]
  if (one.anyOf) return inner(one.anyOf[0] ?? {})
  if (one.type === 'object')
    return Object.fromEntries(
      one.required.map((key) => [key, inner(one.properties[key] ?? {}, key)]),
    )
  if (one.type === 'array')
    return Array.from({ length: one.minItems }, () => inner(one.items ?? {}))
  return scalars[one.type ?? '']?.(name) ?? texts[name] ?? name
}

const scalars: Record<string, (name: string) => unknown> = {
  integer: () => 1,
  number: () => 1,
  boolean: () => true,
}

/**
 * Formats a call as a shell command: `$API` is the base URL, `$TOKEN` an access token. Some parameters are required
 * although the schema does not say so, because services validate them later.
 */
export function formatCurlCommand(
  { method, path, parameters, requestBody, security }: ReferenceOperation,
  schemas: DocumentSchemas,
) {
  const late = method === 'GET' ? ['type', 'number'] : ['format', 'action']
  const isShown = ({ name, required, schema }: ReferenceParameter) =>
    required || (late.includes(name) && !('enum' in schema))
  const needed = parameters.filter((one) => one.in === 'query' && isShown(one))
  const query = needed.map((one) => {
    const value = String(buildExample(one.schema, schemas, one.name))
    return `${one.name}=${encodeURIComponent(value)}`
  })
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'id' ? '1' : name.toUpperCase(),
  )
  const address = `"$API${filledPath}${query.length > 0 ? `?${query.join('&')}` : ''}"`
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...bodyOf(requestBody, schemas),
    address,
  ].join(' ')
}

function bodyOf(body: ReferenceOperation['requestBody'], schemas: DocumentSchemas): string[] {
  if (!body) return []
  const { 'application/json': json, 'multipart/form-data': form, ...others } = body.content
  const text = JSON.stringify(json && buildExample(json.schema, schemas))
  if (form && (!json || text === '{}')) return [`-F ${fileField(form.schema)}=@FILE`]
  if (json) {
    return ['-H "Content-Type: application/json"', `-d '${text.replaceAll("'", "'\\''")}'`]
  }
  return [`-H "Content-Type: ${Object.keys(others)[0]}"`, '--data-binary @FILE']
}

function fileField(schema: ReferenceSchema): string {
  const found = Object.entries(shape.parse(schema).properties).find(
    ([, one]) => one.format === 'binary',
  )
  return found?.[0] ?? 'file'
}
