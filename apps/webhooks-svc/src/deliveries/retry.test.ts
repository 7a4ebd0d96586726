import type { OutgoingFailureReason, OutgoingResult } from '@reticle/kit/outgoing/fetch'
import { describe, expect, test } from 'vitest'
import { attemptOf, judgeAttempt } from './retry.ts'

const now = new Date('2026-03-01T10:00:00Z')
const schedule = {
  seconds: [5, 300, 1800, 10_800, 86_400, 86_400, 86_400, 86_400],
  random: () => 0.5,
}
const answered = (status: number, retryAfter?: string): OutgoingResult => ({
  kind: 'answered',
  status,
  retryAfter,
  body: '',
  tookMs: 12,
})
const failed = (reason: OutgoingFailureReason): OutgoingResult => ({
  kind: 'failed',
  reason,
  tookMs: 12,
})
const verdictOf = (outcome: OutgoingResult, attempt = 1) =>
  judgeAttempt(outcome, attempt, now, schedule)

describe('the state of a message after an attempt', () => {
  test.each([
    ['delivered', [200, 201, 204, 299]],
    ['failed', [300, 301, 302, 307, 308, 400, 401, 404, 410, 422]],
    ['waiting', [408, 429, 500, 502, 503, 504, 599]],
  ])('a message is %s after %j', (status, answers) => {
    for (const answer of answers) expect(verdictOf(answered(answer))).toMatchObject({ status })
  })

  test.each([
    ['blocked', 'failed'],
    ['unresolved', 'waiting'],
    ['refused', 'waiting'],
    ['unreachable', 'waiting'],
    ['certificate', 'waiting'],
    ['broken', 'waiting'],
    ['malformed', 'waiting'],
    ['timeout', 'waiting'],
  ] as const)('a call that fails with %s leaves the message %s', (reason, status) => {
    expect(verdictOf(failed(reason))).toMatchObject({ status })
  })
})

describe('the time of the next attempt', () => {
  test('the waits follow the schedule, with nine attempts in all', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => verdictOf(answered(500), attempt))
    expect(delays).toEqual(
      schedule.seconds.map((seconds) => ({ status: 'waiting', delayMs: seconds * 1000 })),
    )
    expect(verdictOf(answered(500), 9)).toEqual({ status: 'failed' })
  })

  test.each([
    [0, 270_000],
    [1, 330_000],
  ])('the jitter is at most a tenth (random value %d)', (chance, delayMs) => {
    const jittered = judgeAttempt(answered(500), 2, now, { ...schedule, random: () => chance })
    expect(jittered).toEqual({ status: 'waiting', delayMs })
  })

  test.each([
    ['longer seconds', '30', 30_000],
    ['shorter seconds', '1', 5000],
    ['a date', 'Sun, 01 Mar 2026 10:01:00 GMT', 60_000],
    ['a date that has passed', 'Sun, 01 Mar 2026 09:00:00 GMT', 5000],
    ['more than a day', '999999', 86_400_000],
    ['nonsense', 'soon', 5000],
  ])('Retry-After with %s sets the delay', (_title, retryAfter, delayMs) => {
    expect(verdictOf(answered(429, retryAfter))).toEqual({ status: 'waiting', delayMs })
  })
})

describe('the recorded attempt', () => {
  test('an attempt has the response of the receiver without characters that the database cannot store', () => {
    const outcome: OutgoingResult = { kind: 'answered', status: 201, body: 'a\0b', tookMs: 12 }
    expect(attemptOf(outcome)).toEqual({
      status_code: 201,
      response: 'a\ufffdb',
      request_duration: 12,
    })
  })

  test('a failed connection is recorded as 502 and a timeout as 504, each with a fixed text', () => {
    expect(attemptOf(failed('refused'))).toMatchObject({
      status_code: 502,
      response: 'the connection was refused',
    })
    expect(attemptOf(failed('timeout'))).toMatchObject({
      status_code: 504,
      response: 'no answer in time',
    })
    expect(attemptOf(failed('blocked'))).toMatchObject({
      status_code: 502,
      response: 'target address is not allowed',
    })
  })
})
