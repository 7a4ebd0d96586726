import type { Answer, Entry, Input, Operations } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'

export type { Principal }

/** What travels beside every call, in both transports. Pass it on when asking another service. */
export interface Context {
  /** Who is calling; null where nobody signed in (operations with `access: 'anyone'`). */
  principal: Principal | null
  /** The `Authorization` header as it came; only for signing out, never logged. */
  credential?: string
  /** The client's network address as the gateway saw it: failed passwords are counted per address. */
  address?: string
  /** The client's program, as it calls itself. */
  user_agent?: string
  request_id: string
  /**
   * The same for every attempt of one change: of a caller whose connection broke, or of a sender who named it. Nothing
   * for other calls within a process (`db/change.ts`).
   */
  call_id?: string
  /** Becomes the `call_id` of the call that is made with this, and of none that it leads to. */
  next_call_id?: string
  /** The trace this call belongs to, as W3C writes it. */
  traceparent?: string
  deadline: number // epoch milliseconds
  signal: AbortSignal
}

/** What is known of bytes before the first of them. */
export interface Head {
  /** Media type, e.g. `image/jpeg`; absent: the API's own JSON. */
  type?: string
  etag?: string
  /** Bytes that follow, where known. */
  length?: number
  /** Seconds a private cache may keep them. */
  max_age?: number
  /** Of their content, in a form of whoever keeps them; equal for equal bytes. */
  checksum?: string
  /** ISO 8601: who kept them before this moment has to ask again. */
  updated_date?: string
  /** May a part of them be asked for? Only where `length` is known. */
  has_ranges?: boolean
}

export type Bytes = AsyncIterable<Uint8Array>

/** Answer of an operation whose schema is `bytes`: the head first, then pieces of at most 64 KiB. */
export interface BytesAnswer {
  head: Head
  chunks: Bytes
}

/** One type for both ends: handlers implement it, callers are given it. Rows of the gateway have no handler. */
export type Service<T extends Operations> = {
  [N in keyof T as T[N] extends { by: 'gateway' } ? never : N]: T[N] extends Entry<infer S>
    ? (input: Input<S>, context: Context) => Promise<Result<Answer<S>>>
    : never
}
type Result<A> = A extends Bytes ? BytesAnswer : A

/** A handler or caller without its types, as transports see it. */
export type Call = (input: never, context: Context) => Promise<unknown>

/** The signed-in caller. The gateway lets nobody through without one, unless the row says so. */
export function signedIn({ principal }: Pick<Context, 'principal'>): Principal {
  if (!principal) throw new Error('an operation without a caller asked for one')
  return principal
}

export function isBytesAnswer(answer: unknown): answer is BytesAnswer {
  return typeof answer === 'object' && answer !== null && 'chunks' in answer && 'head' in answer
}
