import { secondsOf } from './errors.ts'

/** When an attempt is repeated, and after how long. */

/** Nobody waits longer for a service that says when it will be there again: the error tells them. */
const longestWaitMs = 60_000
const firstWaitMs = 250
const longestPauseMs = 8000

/**
 * Repeats of what somebody has waited long for: about a minute of them, in which a service comes back after a restart. Other
 * calls rather fail than hang.
 */
export const patience = 12

export interface Attempt {
  /** From 0. */
  number: number
  /** Would it do no harm if it was done twice? */
  isRepeatable: boolean
}

/**
 * Milliseconds until an answer is asked for again, or nothing when it is final. Who was turned away at the door (429) may
 * always come again; what else fails may have been done, and is repeated only where that does no harm.
 */
export function waitAfter(answer: Response, { number, isRepeatable }: Attempt): number | undefined {
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

/** A call under the same key has not ended yet. */
function isSameUnderWay({ status, headers }: Response): boolean {
  return status === 409 && headers.get('x-error-code') === 'idempotency_in_progress'
}

/** Twice as long each time, and never the same for all who lost the same service. */
export function pauseBefore(number: number): number {
  const full = Math.min(longestPauseMs, firstWaitMs * 2 ** number)
  return full / 2 + jitter(full / 2)
}

const jitter = (ms: number) => Math.random() * ms

/** @throws the reason of the signal, at once when it fires */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
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
