import type { Operations } from '@reticle/contracts/api/operation'
import {
  type Bytes,
  type CallContext,
  isBytesAnswer,
  type Service,
  type UntypedCall,
} from '../call/context.ts'
import { type DomainError, toDomainError, tookTooLong, unavailable } from '../call/errors.ts'
import { WholeBytes } from '../call/pieces.ts'
import { endingWith, hasCommitted } from '../call/signal.ts'
import { fromDatabase } from '../db/errors.ts'
import { type Called, type OnBug, watchCall } from './observe-calls.ts'
import { eachNext, toReleasable } from './releasable.ts'

/**
 * Wraps handlers with deadline, cancellation, the error table, metrics and
 * a span. In one process this is the complete transport.
 * @param service name of the service in metrics and traces: `<name>-svc`
 */
export function guardHandlers<T extends Operations>(
  handlers: Service<T>,
  onBug: OnBug,
  service = 'unnamed',
): Service<T> {
  return mapValues(handlers as Record<string, UntypedCall>, (call, operation) =>
    guarded(call, onBug, { service, operation }),
  ) as Service<T>
}

function guarded(call: UntypedCall, onBug: OnBug, called: Called): UntypedCall {
  return async (input, given) => {
    const watched = watchCall(called, given)
    const limit = startLimit(given, watched.end)
    const { traceparent } = watched
    const context = { ...given, ...callIds(given, called), traceparent, signal: limit.signal }
    let work: Promise<unknown> = Promise.resolve()
    const reportCommit = (cause: string) => {
      if (hasCommitted(limit.signal)) onBug.committed?.(context, called, cause)
    }
    const failed = (thrown: unknown) => {
      const cause = limit.signal.aborted ? limit.signal.reason : thrown
      const error = fromDatabase(cause) ?? toDomainError(cause)
      if (error.kind === 'internal') watched.within(() => onBug(thrown, context))
      limit.stop(error)
      const report = () => reportCommit(error.message)
      if (limit.signal.aborted) void work.then(report, report) // a commit that was sent is not interrupted
      return error
    }
    try {
      const handle = () => {
        work = call(input, context)
        return work
      }
      const answer = await limit.watch(() =>
        watched.within(() => endingWith(context.signal, handle)),
      )
      const isStream = isBytesAnswer(answer) && !(answer.chunks instanceof WholeBytes)
      if (!isStream) limit.stop()
      else return { ...answer, chunks: guardedChunks(answer.chunks, limit, failed) }
      return answer
    } catch (thrown) {
      throw failed(thrown)
    }
  }
}

/** Builds the call id: one idempotency key can cover several calls, each with its own id. */
function callIds({ next_call_id }: CallContext, { operation }: Called) {
  const call_id = next_call_id && `${next_call_id} ${operation}`
  return { call_id, next_call_id: undefined }
}

type Limit = ReturnType<typeof startLimit>

function guardedChunks(
  chunks: Bytes,
  limit: Limit,
  failed: (thrown: unknown) => DomainError,
): Bytes {
  return toReleasable(guardBytes(chunks, limit, failed), async () => {
    limit.stop()
    await chunks[Symbol.asyncIterator]().return?.()
  })
}

async function* guardBytes(
  chunks: Bytes,
  limit: Limit,
  failed: (thrown: unknown) => DomainError,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of endingChunks(chunks, limit.signal)) {
      limit.signal.throwIfAborted()
      yield chunk
    }
  } catch (thrown) {
    throw failed(thrown)
  } finally {
    limit.stop()
  }
}

/** Runs each step of a generator with the signal of its call; otherwise it would run in the context of its reader. */
function endingChunks(chunks: Bytes, signal: AbortSignal): Bytes {
  return eachNext(chunks[Symbol.asyncIterator](), (next) => endingWith(signal, next))
}

/**
 * Starts the time limit of a call. It uses one controller and one timer, because every call pays for it: no listener on
 * the inner signal, and no race of promises.
 * @param onStop receives the failure, if any; may be called more than once
 */
function startLimit(
  { deadline, signal: outer }: CallContext,
  onStop: (failure?: DomainError) => void,
) {
  const inner = new AbortController()
  let giveUp: (reason: DomainError) => void = () => undefined
  const end = (reason: DomainError) => {
    inner.abort(reason)
    giveUp(reason)
  }
  const late = () => end(tookTooLong())
  const abandon = () => end(unavailable('The caller went away.'))
  const timer = setTimeout(late, Math.max(0, Math.min(deadline - Date.now(), 2 ** 31 - 1)))
  outer.addEventListener('abort', abandon)
  if (outer.aborted) abandon()
  const stop = (failure?: DomainError) => {
    clearTimeout(timer)
    outer.removeEventListener('abort', abandon)
    onStop(failure)
  }
  /** Waits for `work`, and rejects at the limit even if `work` continues. */
  const watch = <T>(work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      giveUp = reject
      inner.signal.throwIfAborted()
      work().then(resolve, reject)
    })
  return { signal: inner.signal, watch, stop }
}

export function mapValues<A, B>(
  given: Record<string, A>,
  change: (value: A, key: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value, key)]))
}
