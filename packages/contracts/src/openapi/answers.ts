import { z } from 'zod'
import { isBytes, type Operation } from '../api/operation.ts'
import { shownAs, typesOf } from '../rest/common.ts'
import { jsonLike } from './examples.ts'
import { failureContent, failureName, failuresOf } from './failures.ts'
import { headersOf } from './headers.ts'
import type { JsonObject, SchemaOf } from './schemas.ts'

/** Returns all responses of a call: those of its declaration, those of its kind, and failures. */
export function answersOf(operation: Operation, schemaOf: SchemaOf): Record<string, JsonObject> {
  const own = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    answerOf(operation, Number(status), answer, schemaOf),
  ])
  return {
    ...(hasState(operation) && { 304: { description: 'If-None-Match names the current state' } }),
    ...failuresOf(operation),
    ...(operation.resumable && uploadSteps(operation)),
    ...Object.fromEntries(own),
  }
}

function answerOf(
  operation: Operation,
  status: number,
  answer: z.ZodType,
  schemaOf: SchemaOf,
): JsonObject {
  const headers = headersOf([...headersOfStatus(operation, status)])
  const description = descriptions[status] ?? 'Done'
  if (status === 204 || answer instanceof z.ZodUndefined) return { description, headers }
  const example = status === operation.success ? operation.name : ''
  if (status < 400) return { description, headers, content: contentOf(answer, schemaOf, example) }
  const own = operation.gone === undefined ? schemaOf(answer, 'output') : undefined
  return {
    description,
    headers,
    content: failureContent(schemaOf, { own, example: failureName(status) }),
  }
}

const descriptions: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted: a background request was created',
  206: 'The requested range',
  302: 'Redirect',
  409: 'Conflict with the current state, for example with a running request',
  410: 'This operation was removed',
}

function headersOfStatus(operation: Operation, status: number): string[] {
  const { limit } = operation
  return [
    'X-Request-Id',
    ...(status >= 400 ? ['X-Error-Code'] : []),
    ...(limit === 'none'
      ? []
      : ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
    ...(status < 300 && hasTag(operation) ? ['ETag'] : []),
    ...(status === 206 ? ['Content-Range'] : []),
    ...(status === 302 || (status === 201 && hasAddress(operation)) ? ['Location'] : []),
    ...(status === 204 && operation.media_type ? ['Upload-Offset', 'Upload-Expires'] : []),
  ]
}

function contentOf(answer: z.ZodType, schemaOf: SchemaOf, example: string): JsonObject {
  const types = typesOf(answer)
  if (types) return Object.fromEntries(types.map((type) => [type, { schema: fileSchema(type) }]))
  const shown = isBytes(answer) ? shownAs(answer) : answer
  return jsonLike(shown ? schemaOf(shown, 'output') : {}, example)
}

const fileSchema = (type: string): JsonObject =>
  type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }

const hasAddress = ({ answer }: Operation) => answer instanceof z.ZodObject && 'url' in answer.shape

/**
 * Returns true if the response is a state with an entity tag. Bytes of
 * the gateway are files with ranges, or have no state.
 */
function hasTag({ answer, answers, by, etag }: Operation): boolean {
  if (isBytes(answer)) return by !== 'gateway' || 206 in answers
  return etag !== undefined
}

/** Returns true if a client can check whether its copy is still current. */
export const hasState = (operation: Operation): boolean =>
  operation.method === 'GET' && hasTag(operation)

/** Returns the responses to the other requests of an upload in several requests. */
function uploadSteps({ path }: Operation): Record<string, JsonObject> {
  const first = headersOf(['X-Request-Id', 'Location', 'Upload-Offset', 'Upload-Expires'])
  const more = { description: 'Upload-Multiple: these files are stored' }
  return {
    ...(path.endsWith('/data') && { 200: { ...more, headers: headersOf(['X-Request-Id']) } }),
    201: {
      description: 'Upload-Length: a file was created; send its bytes to Location',
      headers: first,
    },
  }
}
