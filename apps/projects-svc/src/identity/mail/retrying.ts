import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import { type Mail, type Mailer, MailRefused } from './mailer.ts'

export interface RetryOptions {
  /** Milliseconds of delay after the first, second, ... failed attempt. */
  waitsMs?: readonly number[]
  /** Limit on mails sent in parallel. */
  atOnce?: number
  /** Limit on waiting mails. */
  room?: number
  /** Milliseconds that a stopping process gives to mails being sent. */
  graceMs?: number
}

const defaults = { waitsMs: [5_000, 60_000, 600_000], atOnce: 4, room: 1000, graceMs: 5_000 }

/**
 * Wraps a mailer with retries: servers can be down for minutes, and some accept mail from an unknown sender only at
 * the second attempt. Mails wait in memory because they contain keys, so a stopping process drops mails that wait for
 * a retry.
 */
export function retryingMailer(
  mailer: Mailer,
  given: RetryOptions = {},
): Mailer & { stop: () => Promise<void> } {
  const { waitsMs, atOnce, room, graceMs } = { ...defaults, ...given }
  const [stopping, cutting] = [new AbortController(), new AbortController()]
  const inTurn = createKeyedQueue()
  const pending = new Set<Promise<void>>()
  let count = 0

  const attempt = (mail: Mail) =>
    inTurn(String(count++ % atOnce), () => {
      stopping.signal.throwIfAborted()
      return mailer.send(mail, cutting.signal)
    })

  async function deliver(mail: Mail): Promise<void> {
    for (const wait of waitsMs) {
      const failure = await failureOf(attempt(mail))
      if (!failure) return
      const isOver = failure.thrown instanceof MailRefused && failure.thrown.isFinal
      if (isOver || !(await hasWaited(wait, stopping.signal))) throw failure.thrown
    }
    await attempt(mail)
  }

  return {
    keepsMails: mailer.keepsMails === true,
    async send(mail) {
      if (pending.size >= room) throw new MailRefused(`${room} mails wait already.`, true)
      const sending = deliver(mail)
      pending.add(sending)
      try {
        await sending
      } finally {
        pending.delete(sending)
      }
    },

    async stop() {
      stopping.abort()
      const ended = Promise.allSettled(pending)
      await Promise.race([ended, sleep(graceMs, undefined, { ref: false })])
      cutting.abort()
      await ended
    },
  }
}

/** Returns the rejection of a promise, which can be any value. */
async function failureOf(promise: Promise<unknown>): Promise<{ thrown: unknown } | undefined> {
  try {
    await promise
    return undefined
  } catch (thrown) {
    return { thrown }
  }
}

/** Waits; false when the mailer stopped. The timer does not keep the process alive. */
async function hasWaited(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
  return !signal.aborted
}
