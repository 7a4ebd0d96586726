import type { AnyJson } from '../../support/client.ts'

/** The caller: by default a user with an access token that may write. */
export type BadInputCaller =
  | 'anna'
  | 'bo'
  | 'mo'
  | 'reader'
  | 'expired'
  | 'revoked'
  | 'left'
  | 'password'
  | 'browser'
  | 'anonymous'

/** Ids of the objects used by the calls, keyed by the names in braces. */
export type BadInputIds = Record<string, number | string>

/** One call of the bad-input matrix. See docs/spec/reliability.md#bad-input. */
export interface BadInputRow {
  /** Number of the row in the matrix. */
  row: number
  what: string
  /** `METHOD /path`, below the base URL, with names of ids in braces. */
  call: string
  /** Default: anna. */
  as?: BadInputCaller
  json?: AnyJson | ((ids: BadInputIds) => AnyJson)
  /** Sent unchanged, as `application/json` unless `headers` has another type. */
  raw?: string | Uint8Array | ((ids: BadInputIds) => string)
  headers?: Record<string, string>
  status: number
  /** Field that the error body has to name. */
  field?: string
  /** Expected `X-Error-Code`. */
  code?: string
  /** Expected fields of a body that is not an error, or expected text. */
  body?: AnyJson
  /** Expected headers of the answer. */
  answers?: Record<string, string>
  /** Set for an allowed call that changes something. */
  changes?: true
}

/** Raw bytes that no regular client would send. */
export interface RawRow {
  row: number
  what: string
  bytes: string
  status: number
}

/** Builds rows that apply one rule to many inputs. */
export function buildRows<T>(
  inputs: Record<string, T>,
  rowOf: (input: T) => Omit<BadInputRow, 'what'>,
): BadInputRow[] {
  return Object.entries(inputs).map(([what, input]) => ({ what, ...rowOf(input) }))
}
