import type { Answer, Json, Sent } from '../support/client.ts'

/** Somebody who calls until they are answered, as `docs/requests.md` and the README tell people to. */
export interface Caller {
  username: string
  /** The answer for good, and how often it was asked for. @throws Error when nobody answers for minutes */
  send: (method: string, path: string, sent?: Sent) => Promise<Answer & { attempts: number }>
  /** The body of a 2xx. @throws Error for any other answer */
  done: (method: string, path: string, sent?: Sent) => Promise<Json>
  /** Work in the background, from its call to its end; started again when it was interrupted too often. */
  work: (path: string, sent?: Sent) => Promise<Json>
  /** The record of a request that has ended. */
  ended: (rqId: string) => Promise<Json>
  bytes: (url: string) => Promise<Buffer>
}
