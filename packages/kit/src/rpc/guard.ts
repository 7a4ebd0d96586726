import { once } from 'node:events'
import type { Operations } from '@reticle/contracts/api/operation'
import { fromDatabase } from '../db/errors.ts'
import { DomainError, toDomainError } from '../errors.ts'
import { type Bytes, type Call, type Context, isBytesAnswer, type Service } from './context.ts'
import { leavable } from './leave.ts'

/** What is done with a failure that is nobody's input: logged once, with the request it belongs to. */
export type OnBug = (thrown: unknown, context: Context) => void

/** Handlers with deadline, cancellation and the error table around them. In one process this is the whole transport. */
export function guard<T extends Operations>(handlers: Service<T>, onBug: OnBug): Service<T> {
  return mapValues(handlers as Record<string, Call>, (call) => guarded(call, onBug)) as Service<T>
}

function guarded(call: Call, onBug: OnBug): Call {
  return async (input, context) => {
    const limit = startLimit(context)
    const failed = (thrown: unknown) => {
      const cause = limit.signal.aborted ? limit.signal.reason : thrown
      const error = fromDatabase(cause) ?? toDomainError(cause)
      if (error.kind === 'internal') onBug(thrown, context)
      return error
    }
    try {
      const running = call(input, { ...context, signal: limit.signal })
      const answer = await Promise.race([running, limit.aborted])
      if (!isBytesAnswer(answer)) limit.stop()
      else return { ...answer, chunks: guardedChunks(answer.chunks, limit, failed) }
      return answer
    } catch (thrown) {
      limit.stop()
      throw failed(thrown)
    }
  }
}

type Limit = ReturnType<typeof startLimit>

function guardedChunks(
  chunks: Bytes,
  limit: Limit,
  failed: (thrown: unknown) => DomainError,
): Bytes {
  return leavable(guardBytes(chunks, limit, failed), async () => {
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
    for await (const chunk of chunks) {
      limit.signal.throwIfAborted()
      yield chunk
    }
  } catch (thrown) {
    throw failed(thrown)
  } finally {
    limit.stop()
  }
}

function startLimit({ deadline, signal: outer }: Context) {
  const inner = new AbortController()
  const late = () => inner.abort(new DomainError('unavailable', 'The request took too long.'))
  const gone = () => inner.abort(new DomainError('unavailable', 'The caller went away.'))
  const timer = setTimeout(late, Math.max(0, Math.min(deadline - Date.now(), 2 ** 31 - 1)))
  const aborted = once(inner.signal, 'abort').then(() => Promise.reject(inner.signal.reason))
  aborted.catch(() => undefined)
  outer.addEventListener('abort', gone)
  if (outer.aborted) gone()
  const stop = () => {
    clearTimeout(timer)
    outer.removeEventListener('abort', gone)
  }
  return { signal: inner.signal, aborted, stop }
}

export function mapValues<A, B>(
  given: Record<string, A>,
  change: (value: A, key: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value, key)]))
}
