import { z } from 'zod'
import { fieldErrors } from './validation.ts'

/** The one table: a kind of failure, its gRPC and HTTP status, and the code it has when it names none (`house.md` 5). */
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

export type Kind = keyof typeof kinds

export interface Failure {
  /** Stable snake_case name, shown in `X-Error-Code`; default: that of the kind. */
  code?: string
  /** Replaces `{detail, code, request_id}` where the contract wants another shape. */
  body?: unknown
  /** Members that stand beside `detail`, such as `etag` or `missing`. */
  more?: Record<string, unknown>
  /** Seconds after which it is worth trying again (`Retry-After`). */
  retry_after?: number
  /** Attempts that are allowed within a window, for `X-RateLimit-Limit`. */
  limit?: number
}

/** A failure the caller is told about. Anything else that is thrown is a bug and becomes `internal`. */
export class DomainError extends Error {
  readonly kind: Kind
  readonly code: string
  readonly body: unknown
  readonly more: Record<string, unknown> | undefined
  readonly retry_after: number | undefined
  readonly limit: number | undefined

  constructor(kind: Kind, detail: string, { code, body, more, retry_after, limit }: Failure = {}) {
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

  static fromJSON({ kind, detail, ...failure }: Failure & { kind: Kind; detail: string }) {
    return new DomainError(kind, detail, failure)
  }
}

export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown
  if (thrown instanceof z.ZodError) return invalidInput(thrown.issues)
  return new DomainError('internal', 'Internal server error')
}

/** What zod found wrong, in the shape and the words existing clients know. */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): DomainError {
  const { body, code } = fieldErrors(issues)
  return new DomainError('invalid', 'Invalid input.', { body, code })
}

/** One field, or several by name: `invalid({ name: 'May not be blank.' })`. */
export function invalid(fields: Record<string, string>, code?: string): DomainError {
  const body = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, [text]]))
  return new DomainError('invalid', 'Invalid input.', { body, code })
}

/** A 400 whose body is a list of one text, or with `code` alone `{detail}`: see `spec/api-annotations.md` 5.1. */
export function invalidText(text: string, code?: string): DomainError {
  return new DomainError('invalid', text, { body: [text], code })
}

export const notFound = (detail = 'Not found.', code?: string) =>
  new DomainError('not_found', detail, { code })

export const forbidden = (detail = 'You do not have permission to perform this action.') =>
  new DomainError('forbidden', detail)

export const unauthenticated = (detail = 'Authentication credentials were not provided.') =>
  new DomainError('unauthenticated', detail)

export const conflict = (detail: string, failure?: Failure) =>
  new DomainError('conflict', detail, failure)

/** `If-Match` named another state than the present one. */
export const changedMeanwhile = (detail: string, etag: string, code?: string) =>
  new DomainError('precondition', detail, { code, more: { etag } })

export const unavailable = (detail: string, retry_after = 2) =>
  new DomainError('unavailable', detail, { retry_after })

/** The deadline of a call passed. Unlike other failures of the kind it has a code, by which logs tell it from them. */
export const tookTooLong = () =>
  new DomainError('unavailable', 'The request took too long.', {
    code: 'deadline_exceeded',
    retry_after: 2,
  })
