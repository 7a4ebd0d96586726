/** Options of a call, in addition to its input. */
export interface CallOptions {
  /** Aborts the call, its retries and the reading of its response. */
  signal?: AbortSignal
  /** Slug of an organization; `''` for the personal workspace. Overrides that of the client. */
  organization?: string
  /** Overrides `retries` of the client. */
  retries?: number
  /** Idempotency key of a call that accepts one: repeated calls with it, even by another process, take effect once. */
  idempotency_key?: string
  headers?: Record<string, string>
}
