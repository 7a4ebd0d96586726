import { type OutgoingResult, reasons } from '@reticle/kit/outgoing/fetch'

/** Outcome of an attempt, as it is stored. */
export interface DeliveryAttempt {
  status_code: number
  response: string
  /** Duration in milliseconds. */
  request_duration: number
}

/** Next state of the message after an attempt. */
export type Verdict = { status: 'delivered' | 'failed' } | { status: 'waiting'; delayMs: number }

export interface Schedule {
  /** Seconds to wait after the first, second, ... attempt; there is one attempt more than entries. */
  seconds: readonly number[]
  /** Returns a number from 0 to 1. */
  random: () => number
}

const longestRetryAfterMs = 86_400_000

/** Converts an outcome to an attempt. A failure without a response gets the status code that a proxy would return. */
export function attemptOf(outcome: OutgoingResult): DeliveryAttempt {
  const { tookMs: request_duration } = outcome
  if (outcome.kind === 'answered') {
    const response = outcome.body.replaceAll('\0', '\ufffd') // PostgreSQL text cannot hold NUL
    return { status_code: outcome.status, response, request_duration }
  }
  const status_code = outcome.reason === 'timeout' ? 504 : 502
  return { status_code, response: reasons[outcome.reason], request_duration }
}

/**
 * Decides whether the message is delivered, retried or failed.
 *
 * @param attempt number of the attempt that ended, from 1
 */
export function judgeAttempt(
  outcome: OutgoingResult,
  attempt: number,
  now: Date,
  schedule: Schedule,
): Verdict {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300)
    return { status: 'delivered' }
  const wait = schedule.seconds[attempt - 1]
  if (wait === undefined || !isTemporary(outcome)) return { status: 'failed' }
  const jitter = 0.9 + 0.2 * schedule.random()
  const requestedMs = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : 0
  const delayMs = Math.round(Math.max(wait * 1000 * jitter, requestedMs))
  return { status: 'waiting', delayMs }
}

/** Whether a retry can succeed. A redirect or another 4xx status would only repeat itself. */
function isTemporary(outcome: OutgoingResult): boolean {
  if (outcome.kind === 'failed') return outcome.reason !== 'blocked'
  return outcome.status >= 500 || outcome.status === 408 || outcome.status === 429
}

/**
 * Parses `Retry-After`, as seconds or as a date (RFC 9110 10.2.3). Returns at most a day; 0 for an invalid or missing
 * value.
 */
function retryAfterMs(given: string | undefined, now: Date): number {
  if (given === undefined) return 0
  const ms = /^\d+$/.test(given.trim()) ? Number(given) * 1000 : Date.parse(given) - now.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestRetryAfterMs)
}
