import { ApiError } from '@reticle/sdk'

/** What went wrong in one line, with what the log can be asked for: where there is no room for more. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const request = error instanceof ApiError && error.request_id
  return request ? `${error.message} (request ${request})` : error.message
}
