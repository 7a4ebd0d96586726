import { z } from 'zod'
import { isBytes, type Operation, takesKey } from './api/operation.ts'
import { shownAs } from './rest/common.ts'

type Json = Record<string, unknown>
type Io = 'input' | 'output'
type SchemaOf = (schema: z.ZodType, io: Io) => Json

/** The version of the interface, also in `X-Service-Version` (contract, Versioning). */
export const apiVersion = '2.58.1'
export const mediaType = 'application/vnd.service+json'

/** The OpenAPI 3.1 document of operations. Schemas with `.meta({ id })` become components. */
export function openapi(operations: Operation[]): Json {
  const components: Record<string, Json> = {}
  const schemaOf: SchemaOf = (schema, io) => toSchema(schema, io, components)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const method = String(operation.method).toLowerCase()
    paths[path] = { ...paths[path], [method]: describe(operation, schemaOf) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Reticle', version: apiVersion, license: { name: 'Apache-2.0' } },
    servers: [{ url: '/api' }],
    security: [{ token: [] }, { basic: [] }, { session: [] }],
    paths,
    components: { securitySchemes, schemas: components },
  }
}

const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'Token <value> or Bearer <value>',
  },
  basic: { type: 'http', scheme: 'basic' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sessionid',
    description: 'Changes also need the value of the cookie csrftoken in the header X-CSRFToken',
  },
}

function describe(operation: Operation, schemaOf: SchemaOf): Json {
  const { params, query, headers, summary } = operation
  const parameters = [
    ...fields(params, 'path', schemaOf),
    ...fields(query, 'query', schemaOf),
    ...fields(headers, 'header', schemaOf),
    ...(takesKey(operation) ? [keyParameter] : []),
  ]
  const responses = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    response(answer, schemaOf),
  ])
  return {
    operationId: operation.name,
    tags: [operation.service.replace(/Service$/, '')],
    ...(summary && { summary }),
    ...((operation.successor || operation.gone) && { deprecated: true }),
    ...(operation.access === 'anyone' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, schemaOf),
    responses: Object.fromEntries(responses),
  }
}

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Sent again within a day, the call is answered what it was answered first, and done only once',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
}

function requestBody({ body, form, media_type }: Operation, schemaOf: SchemaOf): Json {
  if (media_type) return { requestBody: { required: true, content: { [media_type]: {} } } }
  const json = body && content(body, 'input', schemaOf)
  if (form) {
    const fields = { ...(body instanceof z.ZodObject && body.shape), ...form.shape }
    const schema = formSchema(z.object(fields), schemaOf)
    return { requestBody: { content: { ...json, 'multipart/form-data': { schema } } } }
  }
  return json ? { requestBody: { required: true, content: json } } : {}
}

/** Files of a form are binary strings; the other fields are as their schemas say. */
function formSchema(form: z.ZodObject, schemaOf: SchemaOf): Json {
  const properties = Object.entries(form.shape).map(([name, schema]) => [
    name,
    isBytes(schema) ? { type: 'string', format: 'binary' } : schemaOf(schema, 'input'),
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function response(answer: z.ZodType, schemaOf: SchemaOf): Json {
  if (answer instanceof z.ZodUndefined) return { description: 'done' }
  return { description: 'ok', content: content(answer, 'output', schemaOf) }
}

function content(schema: z.ZodType, io: Io, schemaOf: SchemaOf): Json {
  const shown = isBytes(schema) ? shownAs(schema) : schema
  return { [mediaType]: { schema: shown ? schemaOf(shown, io) : {} } }
}

function fields(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schemaOf: SchemaOf,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, type]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: place === 'path' || !type.safeParse(undefined).success,
    schema: schemaOf(type, 'input'),
  }))
}

/** `if_match` is `If-Match`. */
export function headerName(name: string): string {
  const capital = (part: string) => part.charAt(0).toUpperCase() + part.slice(1)
  return name.split('_').map(capital).join('-')
}

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
