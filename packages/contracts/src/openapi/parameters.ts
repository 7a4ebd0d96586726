import type { z } from 'zod'
import { isScoped, type Operation, takesKey } from '../api/operation.ts'
import { hasState } from './answers.ts'
import type { JsonObject, SchemaOf } from './schemas.ts'

/** Returns the parameters of a call: those of its declaration and those of its kind. */
export function parametersOf(operation: Operation, schemaOf: SchemaOf): JsonObject[] {
  const { params, query, headers, answers, resumable } = operation
  const given = { ...query?.shape }
  return [
    ...fields(params, 'path', schemaOf),
    ...fields(query, 'query', schemaOf),
    ...fields(headers, 'header', schemaOf),
    ...(takesScope(operation) ? workspace.filter(({ name }) => !(name in given)) : []),
    ...(takesKey(operation) ? [idempotencyKey] : []),
    ...(hasState(operation) ? [ifNoneMatch] : []),
    ...(206 in answers ? [range] : []),
    ...(resumable ? uploadHeaders : []),
  ]
}

function fields(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schemaOf: SchemaOf,
): JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, type]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: place === 'path' || !type.safeParse(undefined).success,
    schema: schemaOf(type, 'input'),
  }))
}

/** Converts a name to that of a header: `if_match` to `If-Match`. */
export function headerName(name: string): string {
  const capital = (part: string) => part.charAt(0).toUpperCase() + part.slice(1)
  return name.split('_').map(capital).join('-')
}

/**
 * Returns true if the workspace can be selected. A call about one object uses the workspace of that object in any case.
 */
const takesScope = (operation: Operation) =>
  isScoped(operation) && !operation.params && operation.access !== 'anyone'

const optional =
  (place: 'query' | 'header') => (name: string, description: string, more?: JsonObject) => ({
    name,
    in: place,
    required: false,
    description,
    schema: { type: 'string', ...more },
  })
const header = optional('header')
const inQuery = optional('query')

const workspace = [
  header('X-Organization', 'Slug of the organization; empty: the personal workspace'),
  inQuery('org', 'Same as X-Organization'),
  inQuery('org_id', 'Id of the organization, instead of X-Organization', {
    type: 'integer',
    minimum: 1,
  }),
]

const idempotencyKey = header(
  'Idempotency-Key',
  'A repeated call within a day has no second effect and returns the first response',
  { minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
)
const ifNoneMatch = header(
  'If-None-Match',
  'ETag of the known state; returns 304 while the state is unchanged',
)
const range = header('Range', 'bytes=0-99: this part of the file')

/** Headers that distinguish the requests of an upload. */
const uploadHeaders = [
  header('Upload-Start', 'With any value: opens an upload without files'),
  header('Upload-Length', 'Size of a new file in bytes (tus.io 1.0.0)'),
  header('Upload-Metadata', 'Of a new file: filename and its name in Base64'),
  header('Tus-Resumable', 'Version of the protocol: 1.0.0'),
  header('Upload-Multiple', 'With any value: adds files to the upload'),
  header('Upload-Finish', 'With any value: ends the upload; all files have been sent'),
]
