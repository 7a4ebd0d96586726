import { setTimeout as sleep } from 'node:timers/promises'
import { inSpan } from '@reticle/kit/observe/traces'
import { createAlarm } from '@reticle/kit/scheduling/alarm'
import { limits } from './choose.ts'
import { type ClaimedMessage, claimMessages } from './repo-claims.ts'
import { fieldsOf, type SendDeps, sendMessage } from './send.ts'

export interface Dispatcher {
  /** Starts a round at once, because there may be messages to send. */
  wake: () => void
  /** Starts no more attempts, waits up to 5 s for running ones, then aborts them and releases their leases. */
  stop: () => Promise<void>
}

/** Interval of polls for due retries, expired leases and messages of other processes, in milliseconds. */
const pollMs = 250
const patienceMs = 5000

/** Sends due messages, as many at once as the limits allow, until it is stopped. */
export function startDispatcher(deps: SendDeps): Dispatcher {
  const { db, clock, log, outgoing } = deps
  const waiting = createAlarm()
  const abandon = new AbortController()
  const running = new Set<Promise<void>>()
  let stopped = false
  let after = 0

  const start = (message: ClaimedMessage) => {
    after = message.webhook_id
    const attempt: Promise<void> = sendTraced(deps, message, abandon.signal)
      .catch((error) => log.error({ err: error, ...fieldsOf(message) }, 'webhook attempt failed'))
      .finally(() => {
        running.delete(attempt)
        waiting.ring()
      })
    running.add(attempt)
  }
  const round = async () => {
    const free = limits.process - running.size
    const claimed = free > 0 ? await claimMessages(db, { now: clock.now(), free, after }) : []
    for (const message of claimed) start(message)
  }
  const loop = async () => {
    while (!stopped) {
      await round().catch((error) =>
        log.error({ err: error }, 'webhook messages cannot be claimed'),
      )
      await waiting.wait(pollMs)
    }
  }

  const looping = loop()
  return {
    wake: waiting.ring,
    stop: async () => {
      stopped = true
      waiting.ring()
      await looping
      await Promise.race([Promise.all(running), sleep(patienceMs, undefined, { ref: false })])
      abandon.abort()
      await outgoing.close()
      await Promise.all(running)
    },
  }
}

/** Runs an attempt as a span of the trace of its event. The trace context is not sent to the receiver. */
function sendTraced(
  deps: SendDeps,
  message: ClaimedMessage,
  abandoned: AbortSignal,
): Promise<void> {
  const { attempt, event_id: id, traceparent } = message
  const span = {
    kind: 'client',
    service: 'webhooks-svc',
    traceparent: traceparent ?? undefined,
    attributes: { 'reticle.event_id': id, 'reticle.attempt': attempt + 1 },
  } as const
  return inSpan('webhook attempt', span, () => sendMessage(deps, message, abandoned))
}
