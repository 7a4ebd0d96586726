import { pingEvent } from '@reticle/contracts/events/webhook-events'
import { apiVersion } from '@reticle/contracts/openapi'
import type { Logger } from '@reticle/kit/observe/log'
import { traceIdOf } from '@reticle/kit/observe/traces'
import type { Outgoing, OutgoingResult } from '@reticle/kit/outgoing/fetch'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { SecretBox } from '@reticle/kit/settings/secrets'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { signingSecrets } from '../webhooks/secret.ts'
import { attempts, disabled, firstAttemptSeconds } from './metrics.ts'
import { countFailure, disableFailing, endFailures, endLease, storeAttempt } from './repo.ts'
import type { ClaimedMessage } from './repo-claims.ts'
import { attemptOf, judgeAttempt, type Schedule, type Verdict } from './retry.ts'
import { headersOf } from './sign.ts'

export interface SendDeps {
  db: Kysely<WebhooksDb>
  outgoing: Outgoing
  secrets: SecretBox
  schedule: Schedule
  /** Hours without a success after which a webhook is disabled; 0: never. */
  disableAfterHours: number
  clock: Clock
  log: Logger
}

/**
 * Makes one attempt to deliver a message: calls the receiver, then stores the attempt and the next state of the
 * message. A message of a disabled webhook is dropped.
 *
 * @param abandoned aborts when the process has to stop: the outcome is then ignored and the lease is released
 */
export async function sendMessage(
  deps: SendDeps,
  message: ClaimedMessage,
  abandoned: AbortSignal,
): Promise<void> {
  if (!message.is_active) return dropMessage(deps, message)
  const started = deps.clock.now()
  noteFirst(message, started)
  const outcome = await callReceiver(deps, message, started).catch((error: unknown) =>
    toFailedAttempt(deps, message, error),
  )
  if (abandoned.aborted) return releaseMessage(deps, message)
  await storeOutcome(deps, message, outcome, started)
}

/** Returns the log fields that identify a message. */
export function fieldsOf({ webhook_id, id, event_id, traceparent }: ClaimedMessage) {
  const trace_id = traceIdOf(traceparent ?? undefined)
  return { webhook_id, message_id: id, event_id, ...(trace_id && { trace_id }) }
}

function noteFirst({ attempt, occurred_date }: ClaimedMessage, now: Date): void {
  if (attempt > 0 || !occurred_date) return
  firstAttemptSeconds.observe(Math.max(0, now.getTime() - occurred_date.getTime()) / 1000)
}

const results = { delivered: 'delivered', waiting: 'retried', failed: 'failed' } as const

async function callReceiver(
  { outgoing, secrets }: SendDeps,
  message: ClaimedMessage,
  now: Date,
): Promise<OutgoingResult> {
  const { webhook_id, body, target_url, enable_ssl } = message
  const signing = signingSecrets(secrets, { ...message, id: webhook_id }, now)
  const headers = {
    'user-agent': `Service/${apiVersion}`,
    ...headersOf(message, body, signing, now),
  }
  return outgoing.send({ url: target_url, method: 'POST', headers, body, isVerified: enable_ssl })
}

/**
 * Outcome when the request could not be built, because of a missing key or a bug. It counts as an attempt, since the
 * message would otherwise be retried forever.
 */
function toFailedAttempt({ log }: SendDeps, message: ClaimedMessage, err: unknown): OutgoingResult {
  log.error({ err, ...fieldsOf(message) }, 'webhook attempt failed')
  return { kind: 'failed', reason: 'internal', tookMs: 0 }
}

async function storeOutcome(
  deps: SendDeps,
  message: ClaimedMessage,
  outcome: OutgoingResult,
  started: Date,
) {
  const { db, clock, log } = deps
  const now = clock.now()
  const attempt = message.attempt + 1
  const verdict = judgeAttempt(outcome, attempt, now, isOnce(message) ? once : deps.schedule)
  const result = attemptOf(outcome)
  const { webhook_id, event } = message
  const redelivery = message.redelivery_of !== null
  const dates = { created_date: started, updated_date: now }
  const state = { ...stateAfter(verdict, now), attempt }
  const delivery = { attempt, redelivery, ...result, ...dates }
  const failuresBefore = await storeAttempt(db, message, state, delivery)
  if (failuresBefore !== undefined && verdict.status !== 'delivered')
    await countFailedAttempt(deps, webhook_id)
  else if (failuresBefore) await endFailures(db, webhook_id)
  attempts.inc({ result: results[verdict.status] })
  if (verdict.status === 'failed')
    log.warn(
      { ...fieldsOf(message), event, attempt, status: result.status_code },
      'webhook message failed',
    )
}

/** Counts a failure and disables the webhook when it has failed for too long. */
async function countFailedAttempt(deps: SendDeps, webhook_id: number): Promise<void> {
  const { db, clock, log, disableAfterHours: hours } = deps
  const now = clock.now()
  await countFailure(db, webhook_id, now)
  if (hours === 0) return
  const since = new Date(now.getTime() - hours * 3_600_000)
  const reason = `no attempt has succeeded for more than ${hours} hours`
  if (!(await disableFailing(db, webhook_id, { since, now, reason }))) return
  disabled.inc()
  log.error({ webhook_id }, 'webhook switched off: it has failed for too long')
}

/** Pings and redeliveries are tried only once. */
const isOnce = ({ event, redelivery_of }: ClaimedMessage) =>
  event === pingEvent || redelivery_of !== null
const once: Schedule = { seconds: [], random: Math.random }

function stateAfter(verdict: Verdict, now: Date) {
  if (verdict.status !== 'waiting') return { status: verdict.status }
  const next_attempt_date = new Date(now.getTime() + verdict.delayMs)
  return { status: verdict.status, next_attempt_date }
}

async function dropMessage({ db }: SendDeps, message: ClaimedMessage): Promise<void> {
  await endLease(db, message, { status: 'dropped' })
}

async function releaseMessage({ db }: SendDeps, message: ClaimedMessage): Promise<void> {
  await endLease(db, message, {})
}
