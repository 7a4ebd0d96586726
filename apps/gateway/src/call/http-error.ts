/** An error in the form that responses show. */
export interface PublicError {
  status: number
  code: string
  detail: string
  /** Replaces the default `{detail, code, request_id}`. */
  body?: unknown
  more?: Record<string, unknown>
  retryAfter?: number
  /** Number of requests allowed within a window; shown with `retryAfter`. */
  limit?: number
}

/** An error of HTTP itself, which services do not know: 400 for invalid HTTP, 405, 406, 408, 414, 415, 416 and 431. */
export class HttpError extends Error {
  readonly status: number
  /** Value of `X-Error-Code`. */
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

export const notAcceptable = () =>
  new HttpError(406, 'not_acceptable', 'None of the media types in Accept can be produced.')

export const unsupportedMediaType = (detail: string) =>
  new HttpError(415, 'unsupported_media_type', detail)

export const headersTooLarge = () =>
  new HttpError(431, 'headers_too_large', 'The request headers are too large.')

export const malformedRequest = () =>
  new HttpError(400, 'parse_error', 'This is not a valid HTTP request.')

export const methodNotAllowed = (method: string) =>
  new HttpError(405, 'method_not_allowed', `Method "${method}" not allowed.`)

export const requestTimeout = () =>
  new HttpError(408, 'request_timeout', 'The request came too slowly.')

export const uriTooLong = () => new HttpError(414, 'uri_too_long', 'The address is too long.')

export const rangeNotSatisfiable = (size: number) =>
  new HttpError(416, 'range_not_satisfiable', `The file has ${size} bytes.`)
