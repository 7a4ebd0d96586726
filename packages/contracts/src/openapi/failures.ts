import { isBytes, isScoped, type Operation } from '../api/operation.ts'
import { shownAs } from '../rest/common.ts'
import { failure, problem } from '../rest/failures.ts'
import { jsonLike } from './examples.ts'
import { headersOf } from './headers.ts'
import type { JsonObject, SchemaOf } from './schemas.ts'

/** Failures of calls by status, declared once for all operations. */
interface Kind {
  /** Name of the component. */
  name: string
  description: string
  /** Returns true if the failure can happen to the operation. Others are listed in its `refuses`. */
  happens: (operation: Operation) => boolean
  headers?: readonly string[]
}

const always = () => true
const never = () => false
const changes = ({ method }: Operation) => method !== 'GET'
const sends = ({ method }: Operation) => method !== 'GET' && method !== 'DELETE'
const has = (name: string, shape?: { shape: object }) => name in (shape?.shape ?? {})

const kinds: Record<number, Kind> = {
  400: {
    name: 'BadRequest',
    description: 'The input is malformed or invalid',
    happens: always,
  },
  401: {
    name: 'Unauthorized',
    description: 'No credential, or one that is unknown, expired or revoked',
    happens: always,
    headers: [
      'WWW-Authenticate',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ],
  },
  403: {
    name: 'Forbidden',
    description: 'The caller lacks the permission',
    happens: ({ access, method }) => access !== 'anyone' || method !== 'GET',
  },
  404: {
    name: 'NotFound',
    description: 'No such object, organization or page',
    happens: (operation) =>
      operation.params !== undefined ||
      has('page', operation.query) ||
      (isScoped(operation) && operation.access !== 'anyone'),
  },
  405: {
    name: 'FormatDisabled',
    description: 'The format is switched off',
    happens: ({ method, query }) => method === 'POST' && has('format', query),
  },
  406: {
    name: 'NotAcceptable',
    description: 'None of the media types in Accept can be produced',
    happens: ({ method, answer }) =>
      method !== 'GET' || !isBytes(answer) || shownAs(answer) !== undefined,
  },
  409: {
    name: 'Conflict',
    description: 'Conflict with the current state',
    happens: changes,
    headers: ['Retry-After'],
  },
  410: {
    name: 'Gone',
    description: 'This operation was removed',
    happens: ({ gone }) => gone !== undefined,
  },
  412: {
    name: 'PreconditionFailed',
    description: 'If-Match names another state, or Tus-Resumable another version',
    happens: ({ headers, resumable }) => has('if_match', headers) || resumable === true,
  },
  413: { name: 'ContentTooLarge', description: 'The request exceeds a limit', happens: sends },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The media type of the body is not supported',
    happens: changes,
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The range holds no byte of the file',
    happens: ({ answers }) => 206 in answers,
    headers: ['Content-Range'],
  },
  429: {
    name: 'TooManyRequests',
    description: 'Rate limit reached, or not ready yet; retry after Retry-After',
    happens: always,
    headers: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  },
  500: {
    name: 'ServerError',
    description: 'Internal error',
    happens: never,
  },
  503: {
    name: 'Unavailable',
    description: 'A required service is unavailable or overloaded',
    happens: always,
    headers: ['Retry-After'],
  },
}

/** Returns the failures of an operation, as references to the components of `failureResponses`. */
export function failuresOf(operation: Operation): Record<string, JsonObject> {
  const found = Object.entries(kinds).filter(
    ([status, { happens }]) => operation.refuses?.includes(Number(status)) || happens(operation),
  )
  const referred = found.map(([status, { name }]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ])
  return Object.fromEntries(referred)
}

/** Builds the components of the failures. */
export function failureResponses(schemaOf: SchemaOf): Record<string, JsonObject> {
  const responses = Object.values(kinds).map(({ name, description, headers = [] }) => [
    name,
    {
      description,
      headers: headersOf(['X-Request-Id', 'X-Error-Code', ...headers]),
      content: failureContent(schemaOf, { example: name }),
    },
  ])
  return Object.fromEntries(responses)
}

/** Returns the name of the component of a status. */
export const failureName = (status: number): string => kinds[status]?.name ?? ''

/**
 * Builds the content of a failure.
 * @param own additional schema of the body
 */
export function failureContent(
  schemaOf: SchemaOf,
  { own, example = '' }: { own?: JsonObject | undefined; example?: string },
): JsonObject {
  const common = schemaOf(failure, 'output')
  const schema = own ? { anyOf: [own, common] } : common
  return {
    ...jsonLike(schema, example),
    'application/problem+json': { schema: schemaOf(problem, 'output') },
  }
}
