/** Runtime data of an operation; `generated/rows.ts` has one for each. */
export interface Row {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the root of the API, with `:name` for each parameter. */
  path: string
  success: number
  /** Kind of its result: JSON, a page of a list, an annotation set, bytes, nothing, or a redirect. */
  answer: 'json' | 'page' | 'set' | 'bytes' | 'nothing' | 'redirect'
  /** Members of the input that are sent as headers: `if_match` is `If-Match`. */
  headers?: readonly string[]
  /** Fields of its form that are files. */
  files?: readonly string[]
  /** Whether its files can be sent in chunks, below its path. */
  in_pieces?: boolean
  /** Media type of a body that is not JSON. */
  media_type?: string
  /** Whether it accepts an `Idempotency-Key`, so that it can always be repeated. */
  takes_key?: boolean
}
