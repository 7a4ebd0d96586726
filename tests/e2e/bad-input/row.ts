import type { Json } from '../../support/client.ts'

/** Who calls: a person by an access token that may write, unless it is said otherwise. */
export type Caller =
  | 'anna'
  | 'bo'
  | 'mo'
  | 'reader'
  | 'expired'
  | 'revoked'
  | 'left'
  | 'password'
  | 'browser'
  | 'nobody'

/** Ids of the objects that the calls are about, by the names in braces. */
export type Ids = Record<string, number | string>

/** One call of the bad-input matrix (`reliability.md` 18), as data. */
export interface Row {
  /** Its number there. */
  row: number
  what: string
  /** `METHOD /path`, below the base URL, with names of ids in braces. */
  call: string
  /** Default: anna. */
  as?: Caller
  json?: Json | ((ids: Ids) => Json)
  /** Sent as it is, under `application/json` unless `headers` say otherwise. */
  raw?: string | Uint8Array | ((ids: Ids) => string)
  headers?: Record<string, string>
  status: number
  /** A key that the body has to have: the field that is wrong. */
  field?: string
  /** `X-Error-Code`. */
  code?: string
  /** Members of a body that is no error, or of a free text. */
  body?: Json
  /** Headers of the answer. */
  answers?: Record<string, string>
  /** It does something, and is allowed to. */
  changes?: true
}

/** Bytes as no client of ours would send them. */
export interface RawRow {
  row: number
  what: string
  bytes: string
  status: number
}

/** The same rule for many inputs. */
export function each<T>(inputs: Record<string, T>, rowOf: (input: T) => Omit<Row, 'what'>): Row[] {
  return Object.entries(inputs).map(([what, input]) => ({ what, ...rowOf(input) }))
}
