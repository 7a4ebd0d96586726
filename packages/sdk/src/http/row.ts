/** What a client has to know of an operation when it runs; `generated/rows.ts` has one for each. */
export interface Row {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the root of the API, with `:name` for each of its params. */
  path: string
  success: number
  /** What it answers: JSON, a page of a list, an annotation set, bytes, nothing, or the address of something else. */
  answer: 'json' | 'page' | 'set' | 'bytes' | 'nothing' | 'redirect'
  /** Members of the input that are sent as headers: `if_match` is `If-Match`. */
  headers?: readonly string[]
  /** Fields of its form that are files. */
  files?: readonly string[]
  /** Its files may be sent in pieces, below its path. */
  in_pieces?: boolean
  /** Of a body that is no JSON. */
  media_type?: string
  /** It takes an `Idempotency-Key`, with which it may be sent again whatever became of it. */
  takes_key?: boolean
}
