import { secondsOf } from '../responses/errors.ts'

/** Conditions and pauses of retries. */

/** A longer `Retry-After` is reported as an error instead of waiting for it. */
const longestWaitMs = 60_000
const firstWaitMs = 250
const longestPauseMs = 8000

/** Number of retries of long operations: about a minute, in which a service can restart. Other calls fail sooner. */
export const patience = 12

export interface RetryAttempt {
  /** Number of the attempt, from 0. */
  number: number
  /** Whether the call can be repeated without harm. */
  isRepeatable: boolean
}

/**
 * Returns the milliseconds before a retry, or undefined when the response is final. A 429 can always be retried,
 * because the call was not processed; after other failures it may have been, so it is retried only if that is
 * harmless.
 */
export function waitAfter(
  answer: Response,
  { number, isRepeatable }: RetryAttempt,
): number | undefined {
  const { status, headers } = answer
  const asked = secondsOf(headers.get('retry-after'))
  const isBusy = status === 429 || status === 503 || isSameUnderWay(answer)
  if (isBusy && asked !== null) {
    const waitMs = asked * 1000 + jitter(firstWaitMs)
    const isAllowed = status === 429 || isRepeatable
    return isAllowed && waitMs <= longestWaitMs ? waitMs : undefined
  }
  const isBroken = status === 502 || status === 504
  return isBroken && isRepeatable ? pauseBefore(number) : undefined
}

/** An earlier call with the same key is still running. */
function isSameUnderWay({ status, headers }: Response): boolean {
  return status === 409 && headers.get('x-error-code') === 'idempotency_in_progress'
}

/** Returns the pause before a retry: exponential, with random variation so that clients do not retry together. */
export function pauseBefore(number: number): number {
  const full = Math.min(longestPauseMs, firstWaitMs * 2 ** number)
  return full / 2 + jitter(full / 2)
}

const jitter = (ms: number) => Math.random() * ms

/** Waits. @throws the reason of the signal as soon as it aborts */
export function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
