import { alarm } from '@reticle/kit/alarm'
import type { Clock } from '@reticle/kit/clock'
import type { Logger } from '@reticle/kit/log'
import { forgetOld } from '@reticle/kit/outbox/inbox'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { sweep } from './sweep.ts'

export interface SweeperDeps {
  db: Kysely<WebhooksDb>
  clock: Clock
  log: Logger
}

const everyMs = 600_000

/** Keeps the tables small: what `sweep` forgets, and what the inbox no longer needs. */
export function startSweeper({ db, clock, log }: SweeperDeps): { stop: () => Promise<void> } {
  const waiting = alarm()
  let stopped = false
  const round = async () => {
    const { given_up } = await sweep(db, clock.now())
    if (given_up > 0) log.error({ given_up }, 'webhook messages given up: their queue is too long')
    await forgetOld(db, clock.now())
  }
  const loop = async () => {
    while (!stopped) {
      await round().catch((error) => log.error({ err: error }, 'webhook messages cannot be swept'))
      await waiting.wait(everyMs)
    }
  }
  const looping = loop()
  return {
    stop: async () => {
      stopped = true
      waiting.ring()
      await looping
    },
  }
}
