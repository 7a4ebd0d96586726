import { z } from 'zod'
import { fieldErrors } from './validation.ts'

/**
 * Kinds of failures, each with its gRPC status, HTTP status and default code. It is the only such table. See
 * docs/spec/rest.md#errors.
 */
export const kinds = {
  invalid: { grpc: 3, http: 400, code: 'invalid' },
  unauthenticated: { grpc: 16, http: 401, code: 'not_authenticated' },
  forbidden: { grpc: 7, http: 403, code: 'forbidden' },
  not_found: { grpc: 5, http: 404, code: 'not_found' },
  conflict: { grpc: 10, http: 409, code: 'conflict' },
  gone: { grpc: 5, http: 410, code: 'endpoint_gone' },
  precondition: { grpc: 9, http: 412, code: 'changed_by_someone_else' },
  too_large: { grpc: 8, http: 413, code: 'payload_too_large' },
  too_many: { grpc: 8, http: 429, code: 'throttled' },
  unavailable: { grpc: 14, http: 503, code: 'unavailable' },
  internal: { grpc: 13, http: 500, code: 'internal' },
} as const

export type ErrorKind = keyof typeof kinds

export interface ErrorDetails {
  /** Stable snake_case name for the header `X-Error-Code`; by default that of the kind. */
  code?: string
  /** Response body, for contracts with another shape than `{detail, code, request_id}`. */
  body?: unknown
  /** Additional members beside `detail`, such as `etag` or `missing`. */
  more?: Record<string, unknown>
  /** Seconds after which a retry is useful (`Retry-After`). */
  retry_after?: number
  /** Allowed attempts within a window, for `X-RateLimit-Limit`. */
  limit?: number
}

/** Failure that is reported to the caller. Any other error is a bug and becomes `internal`. */
export class DomainError extends Error {
  readonly kind: ErrorKind
  readonly code: string
  readonly body: unknown
  readonly more: Record<string, unknown> | undefined
  readonly retry_after: number | undefined
  readonly limit: number | undefined

  constructor(
    kind: ErrorKind,
    detail: string,
    { code, body, more, retry_after, limit }: ErrorDetails = {},
  ) {
    super(detail)
    this.kind = kind
    this.code = code ?? kinds[kind].code
    this.body = body
    this.more = more
    this.retry_after = retry_after
    this.limit = limit
  }

  toJSON() {
    const { kind, message, code, body, more, retry_after, limit } = this
    return { kind, detail: message, code, body, more, retry_after, limit }
  }

  static fromJSON({
    kind,
    detail,
    ...failure
  }: ErrorDetails & { kind: ErrorKind; detail: string }) {
    return new DomainError(kind, detail, failure)
  }
}

export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  if (thrown instanceof z.ZodError) return invalidInput(thrown.issues)
  return new DomainError('internal', 'Internal server error')
}

/** Converts issues of zod to the shape and texts that existing clients know. */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): DomainError {
  const { body, code } = fieldErrors(issues)
  return new DomainError('invalid', 'Invalid input.', { body, code })
}

/** Returns a validation failure of one or several fields: `invalid({ name: 'May not be blank.' })`. */
export function invalid(fields: Record<string, string>, code?: string): DomainError {
  const body = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, [text]]))
  return new DomainError('invalid', 'Invalid input.', { body, code })
}

/** Returns a 400 whose body is a list of one text, with an optional code for `X-Error-Code`. */
export function invalidText(text: string, code?: string): DomainError {
  return new DomainError('invalid', text, { body: [text], code })
}

export const notFound = (detail = 'Not found.', code?: string) =>
  new DomainError('not_found', detail, { code })

export const forbidden = (detail = 'You do not have permission to perform this action.') =>
  new DomainError('forbidden', detail)

export const unauthenticated = (detail = 'Authentication credentials were not provided.') =>
  new DomainError('unauthenticated', detail)

export const conflict = (detail: string, failure?: ErrorDetails) =>
  new DomainError('conflict', detail, failure)

/** Returns the failure for an `If-Match` that does not match the current state. */
export const changedMeanwhile = (detail: string, etag: string, code?: string) =>
  new DomainError('precondition', detail, { code, more: { etag } })

export const unavailable = (detail: string, retry_after = 2) =>
  new DomainError('unavailable', detail, { retry_after })

/** Returns the failure for a passed deadline. Its code distinguishes it in logs from other failures of the kind. */
export const tookTooLong = () =>
  new DomainError('unavailable', 'The request took too long.', {
    code: 'deadline_exceeded',
    retry_after: 2,
  })
