import type {
  OperationAnswer,
  OperationEntry,
  OperationInput,
  Operations,
} from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/rest/principal'

export type { Principal }

/** Context of a call, the same over both transports. Pass it on when calling another service. */
export interface CallContext {
  /** The caller; null if it is not signed in (operations with `access: 'anyone'`). */
  principal: Principal | null
  /** The `Authorization` header; only for signing out, never logged. */
  credential?: string
  /** Network address of the client as the gateway saw it. Failed passwords are counted per address. */
  address?: string
  /** User agent of the client. */
  user_agent?: string
  request_id: string
  /**
   * Id shared by all attempts of one change, after a broken connection or with an idempotency key. Absent for other
   * calls within a process (`db/change.ts`).
   */
  call_id?: string
  /** The `call_id` of the next call made with this context, but not of calls that follow from it. */
  next_call_id?: string
  /** Trace context of this call (W3C). */
  traceparent?: string
  deadline: number // epoch milliseconds
  signal: AbortSignal
}

/** Metadata of bytes, known before the first of them. */
export interface Head {
  /** Media type, such as `image/jpeg`; if absent, JSON of the API. */
  type?: string
  etag?: string
  /** Number of bytes that follow, if known. */
  length?: number
  /** Seconds for which a private cache may keep the bytes. */
  max_age?: number
  /** Checksum of the content in a form of its store; equal for equal bytes. */
  checksum?: string
  /** Update date in ISO 8601: copies cached before it must be revalidated. */
  updated_date?: string
  /** Whether ranges can be requested. Only if `length` is known. */
  has_ranges?: boolean
}

export type Bytes = AsyncIterable<Uint8Array>

/** Response of an operation whose schema is `bytes`: the head, then pieces of at most 64 KiB. */
export interface BytesAnswer {
  head: Head
  chunks: Bytes
}

/**
 * Service of a table, for both ends: handlers implement it, and
 * callers use it. Operations of the gateway have no handler.
 */
export type Service<T extends Operations> = {
  [N in keyof T as T[N] extends { by: 'gateway' } ? never : N]: T[N] extends OperationEntry<infer S>
    ? (input: OperationInput<S>, context: CallContext) => Promise<Result<OperationAnswer<S>>>
    : never
}
type Result<A> = A extends Bytes ? BytesAnswer : A

/** Handler or caller without specific types, as transports use it. */
export type UntypedCall = (input: never, context: CallContext) => Promise<unknown>

/**
 * Returns the signed-in caller. The gateway rejects anonymous calls unless the operation allows them.
 * @throws Error without a caller, which is a bug
 */
export function signedIn({ principal }: Pick<CallContext, 'principal'>): Principal {
  if (!principal) throw new Error('an operation that allows anonymous calls requires a caller')
  return principal
}

export function isBytesAnswer(answer: unknown): answer is BytesAnswer {
  return typeof answer === 'object' && answer !== null && 'chunks' in answer && 'head' in answer
}
