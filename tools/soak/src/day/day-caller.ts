import type { AnyJson, ApiRequestInit, ApiResponse } from '@reticle/tests/support/client'

/** A client that repeats calls until they are answered, as `docs/requests.md` and the README advise. */
export interface DayCaller {
  username: string
  /**
   * Returns the final answer and the number of attempts.
   * @throws Error without an answer for minutes
   */
  send: (
    method: string,
    path: string,
    sent?: ApiRequestInit,
  ) => Promise<ApiResponse & { attempts: number }>
  /**
   * Returns the body of a 2xx answer.
   * @throws Error for any other answer
   */
  done: (method: string, path: string, sent?: ApiRequestInit) => Promise<AnyJson>
  /** Starts a request and waits for its end; starts it again if it was interrupted too often. */
  work: (path: string, sent?: ApiRequestInit) => Promise<AnyJson>
  /** Waits for the end of a request and returns its record. */
  ended: (rqId: string) => Promise<AnyJson>
  bytes: (url: string) => Promise<Buffer>
}
