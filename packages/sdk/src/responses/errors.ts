/** Errors of the client, with a message for users and fields for programs. */

/** Messages by field; nested fields as `labels[1].name`. */
export type Fields = Record<string, string[]>

export interface ApiErrorFields {
  operation: string
  status: number
  code: string
  detail: string
  fields: Fields
  request_id: string | null
  /** Seconds to wait before another attempt, if the service sent them. */
  retry_after: number | null
  body: unknown
}

/** Error response of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Name of the operation: `updateProject`. */
  readonly operation: string
  readonly status: number
  /** Stable code in snake_case: `not_found`, `points_invalid`. */
  readonly code: string
  /** Message of the service, without the fields. */
  readonly detail: string
  readonly fields: Fields
  /** Id for the operator of the service, who finds it in the log. */
  readonly request_id: string | null
  readonly retry_after: number | null
  /** Body of the response: parsed JSON, or text. */
  readonly body: unknown

  constructor(refusal: ApiErrorFields) {
    super(messageOf(refusal))
    this.operation = refusal.operation
    this.status = refusal.status
    this.code = refusal.code
    this.detail = refusal.detail
    this.fields = refusal.fields
    this.request_id = refusal.request_id
    this.retry_after = refusal.retry_after
    this.body = refusal.body
  }

  /** Id of the running request that a conflict (409) refers to; follow it instead. */
  get rq_id(): string | null {
    return textOf(memberOf(this.body, 'rq_id'))
  }
}

function messageOf({ operation, status, detail, fields, request_id }: ApiErrorFields): string {
  const perField = Object.entries(fields).map(([name, texts]) => `${name}: ${texts.join(' ')}`)
  const said = [...(detail ? [detail] : []), ...perField].join('; ') || 'no reason was given'
  return `${operation} was refused with ${status}: ${said}${request_id ? ` (request ${request_id})` : ''}`
}

/** Error without a response: the connection failed, or broke before the result was certain. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly operation: string

  constructor(operation: string, reason: string, cause?: unknown) {
    super(`${operation} got no answer: ${reason}`, { cause })
    this.operation = operation
  }
}

/** Error of a response that this client does not understand: another server, or another version. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly operation: string

  constructor(operation: string, what: string, cause?: unknown) {
    super(`${operation} was answered unexpectedly: ${what}`, { cause })
    this.operation = operation
  }
}

/** Converts an error response. */
export async function refusalOf(operation: string, answer: Response): Promise<ApiError> {
  const text = await answer.text().catch(() => '')
  const body = parsed(text)
  const { detail, fields } = read(body)
  const header = (name: string) => answer.headers.get(name)
  return new ApiError({
    operation,
    status: answer.status,
    code: header('x-error-code') ?? textOf(memberOf(body, 'code')) ?? `http_${answer.status}`,
    detail,
    fields,
    request_id: header('x-request-id') ?? textOf(memberOf(body, 'request_id')),
    retry_after: secondsOf(header('retry-after')),
    body,
  })
}

/** Parses `Retry-After`: seconds, or a date (RFC 9110 10.2.3). */
export function secondsOf(header: string | null): number | null {
  if (header === null || header.trim() === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const longestText = 300

/** Parses the forms of errors: `{detail}`, a list of texts, texts by field, or a text of a proxy. */
function read(body: unknown): { detail: string; fields: Fields } {
  if (typeof body === 'string') return { detail: body.trim().slice(0, longestText), fields: {} }
  if (Array.isArray(body) && body.every((one) => typeof one === 'string'))
    return { detail: body.join(' '), fields: {} }
  const detail = textOf(memberOf(body, 'detail'))
  if (detail !== null) return { detail, fields: {} }
  const rqId = textOf(memberOf(body, 'rq_id'))
  if (rqId !== null) return { detail: `the same is under way as ${rqId}`, fields: {} }
  const fields: Fields = {}
  gather(body, '', fields)
  const { non_field_errors: whole = [], ...named } = fields
  return { detail: whole.join(' '), fields: named }
}

function gather(given: unknown, path: string, fields: Fields): void {
  if (typeof given === 'string') fields[path] = [...(fields[path] ?? []), given]
  else if (Array.isArray(given))
    given.forEach((one, index) => {
      gather(one, typeof one === 'string' ? path : `${path}[${index}]`, fields)
    })
  else if (typeof given === 'object' && given !== null)
    for (const [name, value] of Object.entries(given))
      gather(value, path === '' ? name : `${path}.${name}`, fields)
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

const textOf = (given: unknown): string | null => (typeof given === 'string' ? given : null)
