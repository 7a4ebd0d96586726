import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { AnyJson } from '../../support/client.ts'
import { root } from '../../support/reticle.ts'

const schema: z.ZodType<DocumentSchema> = z.looseObject({})
/** A JSON Schema; component schemas are named by `$ref`. */
export interface DocumentSchema {
  [key: string]: AnyJson
}

const content = z.record(z.string(), z.looseObject({ schema }))
const parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  description: z.string().optional(),
  schema,
})
const response = z.looseObject({
  $ref: z.string().optional(),
  content: content.default({}),
})
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), response),
})
const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), schema),
    responses: z.record(z.string(), response),
  }),
})

export type DocumentParameter = z.infer<typeof parameter>
/** Schemas by media type. */
export type ContentSchemas = z.infer<typeof content>

export interface DocumentOperation {
  /** Method and path, such as `PATCH /projects/{id}`. */
  name: string
  method: string
  path: string
  parameters: DocumentParameter[]
  bodies: ContentSchemas
  /** Contents by status. */
  answers: Record<string, ContentSchemas>
}

export interface OpenapiDocument {
  operations: DocumentOperation[]
  /** Follows the `$ref` of a schema. */
  resolved: (schema: DocumentSchema) => DocumentSchema
  /** Returns the mismatch of a value as text, or undefined if it fits the schema. */
  misfit: (schema: DocumentSchema, value: unknown) => string | undefined
}

export function readDocument(): OpenapiDocument {
  const { paths, components } = document.parse(
    JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')),
  )
  const lastOf = (ref: string) => ref.split('/').at(-1) ?? ''
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): DocumentOperation => {
      const answers = Object.entries(one.responses).map(([status, { $ref, content }]) => [
        status,
        $ref === undefined ? content : (components.responses[lastOf($ref)]?.content ?? {}),
      ])
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: one.parameters,
        bodies: one.requestBody?.content ?? {},
        answers: Object.fromEntries(answers),
      }
    }),
  )
  const resolved = (given: DocumentSchema): DocumentSchema =>
    typeof given.$ref === 'string' ? (components.schemas[lastOf(given.$ref)] ?? {}) : given
  return { operations, resolved, misfit: compileMisfit(components.schemas) }
}

/** Compiles every schema only once. */
function compileMisfit(schemas: Record<string, DocumentSchema>): OpenapiDocument['misfit'] {
  const $defs = JSON.parse(local(schemas))
  const compiled = new Map<string, z.ZodType>()
  return (given, value) => {
    const text = local(given)
    const judge = compiled.get(text) ?? z.fromJSONSchema({ ...JSON.parse(text), $defs })
    compiled.set(text, judge)
    const { error } = judge.safeParse(value)
    return error && z.prettifyError(error)
  }
}

const local = (value: object) =>
  JSON.stringify(value).replaceAll('"#/components/schemas/', '"#/$defs/')
