import { STATUS_CODES } from 'node:http'
import { formatPath } from '@reticle/kit/call/validation'
import type { FastifyRequest } from 'fastify'
import type { PublicError } from '../call/http-error.ts'

/** Errors in the format of RFC 9457, for clients that accept it. */

export const problemType = 'application/problem+json'

interface FieldProblem {
  /** JSON pointer into the sent body. */
  pointer: string
  code: string
  message: string
}

export function problemOf(failed: PublicError, request: FastifyRequest): Record<string, unknown> {
  const { status, code, detail, body, more } = failed
  const errors = fieldProblems(body, '', code)
  const [first] = errors
  return {
    type: `urn:service:error:${code}`,
    title: errors.length > 0 ? 'Validation failed' : (STATUS_CODES[status] ?? 'Error'),
    status,
    detail: first ? formatProblem(first) : detail,
    instance: request.originalUrl.split('?', 1)[0],
    code,
    request_id: request.id,
    ...more,
    ...textMembersOf(body),
    ...(errors.length > 0 && { errors }),
  }
}

/** Returns a message with its place: `labels[0].name: ...`. */
const formatProblem = ({ pointer, message }: FieldProblem) =>
  pointer ? `${formatPath(pointer.slice(1).split('/'))}: ${message}` : message

/** Returns the errors of fields. Texts in a list are messages about the place of that list. */
function fieldProblems(body: unknown, pointer: string, code: string): FieldProblem[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([key, value]): FieldProblem[] => {
    if (Array.isArray(body) && typeof value === 'string') return [{ pointer, code, message: value }]
    return fieldProblems(value, key === 'non_field_errors' ? pointer : `${pointer}/${key}`, code)
  })
}

/** Returns additional text fields of a custom body, such as `rq_id`. */
function textMembersOf(body: unknown): Record<string, unknown> {
  const entries = Object.entries(body ?? {}).filter(([, value]) => typeof value === 'string')
  return Array.isArray(body) ? {} : Object.fromEntries(entries)
}
