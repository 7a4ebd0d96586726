import { z } from 'zod'
import { isBytes, type Operation } from './api/operation.ts'
import { answersOf } from './openapi/answers.ts'
import { bodyOf, exampleComponents, jsonLike } from './openapi/examples.ts'
import { failureResponses } from './openapi/failures.ts'
import { headerComponents } from './openapi/headers.ts'
import { apiVersion } from './openapi/media-type.ts'
import { parametersOf } from './openapi/parameters.ts'
import { type JsonObject, type SchemaOf, schemasInto } from './openapi/schemas.ts'
import { shownAs } from './rest/common.ts'

export { apiVersion, mediaType } from './openapi/media-type.ts'
export { headerName } from './openapi/parameters.ts'

/** Builds the OpenAPI 3.1 document of operations. Schemas with `.meta({ id })` become components. */
export function buildOpenapi(operations: Operation[]): JsonObject {
  const schemas: Record<string, JsonObject> = {}
  const schemaOf = schemasInto(schemas)
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const method = String(operation.method).toLowerCase()
    paths[path] = { ...paths[path], [method]: describe(operation, schemaOf) }
  }
  const responses = failureResponses(schemaOf)
  return {
    openapi: '3.1.1',
    info: { title: 'Reticle', version: apiVersion, description, license },
    servers: [{ url: '/api' }],
    security: [{ token: [] }, { basic: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes,
      headers: headerComponents,
      responses,
      schemas,
      examples: exampleComponents,
    },
  }
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** Rules of all calls, so that they need not be repeated for each. */
const description = [
  'JSON responses have the media type `application/vnd.service+json`, or `application/json` if `Accept` prefers it; errors also `application/problem+json`.',
  'One trailing slash is optional on every path. HEAD works wherever GET works, OPTIONS returns the allowed methods of a path, and every other method returns 405.',
  'A malformed, late or too large HTTP request returns 400, 408, 414 or 431 on every path.',
].join('\n\n')

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

function describe(operation: Operation, schemaOf: SchemaOf): JsonObject {
  const parameters = parametersOf(operation, schemaOf)
  return {
    operationId: operation.name,
    tags: [operation.service.replace(/Service$/, '')],
    summary: operation.summary ?? spelt(operation.name),
    ...((operation.successor || operation.gone) && { deprecated: true }),
    ...(operation.access === 'anyone' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, schemaOf),
    responses: answersOf(operation, schemaOf),
  }
}

/** Converts the name of an operation to a summary: `listProjects` to `List projects`. */
function spelt(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function requestBody({ name, body, form, media_type }: Operation, schemaOf: SchemaOf): JsonObject {
  if (media_type) {
    const content = { [media_type]: { schema: file } }
    return { requestBody: { required: true, content } }
  }
  const json = body && jsonContent(body, schemaOf, bodyOf(name))
  if (form) {
    const fields = { ...(body instanceof z.ZodObject && body.shape), ...form.shape }
    const schema = formSchema(z.object(fields), schemaOf)
    return { requestBody: { content: { ...json, 'multipart/form-data': { schema } } } }
  }
  return json ? { requestBody: { required: true, content: json } } : {}
}

const file = { type: 'string', format: 'binary' }

/** Builds the schema of a form: files are binary strings, and the other fields have their schemas. */
function formSchema(form: z.ZodObject, schemaOf: SchemaOf): JsonObject {
  const properties = Object.entries(form.shape).map(([name, schema]) => [
    name,
    isBytes(schema) ? file : schemaOf(schema, 'input'),
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function jsonContent(body: z.ZodType, schemaOf: SchemaOf, example: string): JsonObject {
  const shown = isBytes(body) ? shownAs(body) : body
  return jsonLike(shown ? schemaOf(shown, 'input') : {}, example)
}
