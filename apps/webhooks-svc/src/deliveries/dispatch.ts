import { setTimeout as sleep } from 'node:timers/promises'
import { alarm } from '@reticle/kit/alarm'
import { inSpan } from '@reticle/kit/observe/traces'
import { limits } from './choose.ts'
import { type Claimed, claim } from './claim.ts'
import { fieldsOf, type SendDeps, send } from './send.ts'

export interface Dispatcher {
  /** There may be something to send. */
  wake: () => void
  /** Starts nothing more, gives attempts 5 s to end, then gives their leases back. */
  stop: () => Promise<void>
}

/** How often retries, leases of the dead and messages of other processes are looked for. */
const pollMs = 250
const patienceMs = 5000

/** Sends what is due, as much at once as is allowed, until it is stopped (`reliability.md` 7). */
export function startDispatcher(deps: SendDeps): Dispatcher {
  const { db, clock, log, outgoing } = deps
  const waiting = alarm()
  const abandon = new AbortController()
  const running = new Set<Promise<void>>()
  let stopped = false
  let after = 0

  const start = (message: Claimed) => {
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
    const claimed = free > 0 ? await claim(db, { now: clock.now(), free, after }) : []
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

/** An attempt as a span of the trace that its event is part of. The receiver is told nothing of it. */
function sendTraced(deps: SendDeps, message: Claimed, abandoned: AbortSignal): Promise<void> {
  const { attempt, event_id: id, traceparent } = message
  const span = {
    kind: 'client',
    service: 'webhooks-svc',
    traceparent: traceparent ?? undefined,
    attributes: { 'reticle.event_id': id, 'reticle.attempt': attempt + 1 },
  } as const
  return inSpan('webhook attempt', span, () => send(deps, message, abandoned))
}
