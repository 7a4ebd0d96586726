import { ApiError } from '@reticle/sdk'

/** Returns an error in one line, with the request id to look up in the log. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const request = error instanceof ApiError && error.request_id
  return request ? `${error.message} (request ${request})` : error.message
}
