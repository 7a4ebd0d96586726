/** Beside the input of a call. */
export interface CallOptions {
  /** Ends the call, its repeats and the reading of its answer. */
  signal?: AbortSignal
  /** The slug of an organization; `''` for the personal workspace. Instead of the client's own. */
  organization?: string
  /** Instead of the client's own `retries`. */
  retries?: number
  /** For calls that take one: a call that is made again under it, even by another process, is done once. */
  idempotency_key?: string
  headers?: Record<string, string>
}
