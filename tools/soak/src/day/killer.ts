import { setTimeout as sleep } from 'node:timers/promises'
import { expireMessageLeases, rowsOf } from '@reticle/tests/support/deliveries'
import type { Random } from '@reticle/tests/support/random'
import { type DaySystem, schemas } from './day-system.ts'
import { type DayLedger, incrementCount } from './ledger.ts'

/**
 * Undisturbed time between two kills in milliseconds, and at least a multiple of the last start, which is long on a
 * busy machine.
 */
const quiet = { least: 4000, most: 14_000, starts: 2 }
const hastyQuiet = { ...quiet, least: 1000, most: 4000 }

export interface Killing {
  ledger: DayLedger
  random: Random
  /** Expires leases of killed processes at once instead of after a minute. */
  isHasty: boolean
  isOver: () => boolean
}

/** Kills one part after the other, all kinds in turn and each time in another order, until the day is over. */
export async function killAtRandom(
  system: DaySystem,
  { ledger, random, isHasty, isOver }: Killing,
): Promise<void> {
  let turn: string[] = []
  for (let startMs = 0; ; ) {
    const { least, most, starts } = isHasty ? hastyQuiet : quiet
    await rest(Math.max(least + random.below(most - least), starts * startMs), isOver)
    if (isOver()) return
    if (turn.length === 0) turn = Object.keys(system.victims)
    const name = random.pick(turn)
    turn = turn.filter((one) => one !== name)
    incrementCount(ledger.kills, name)
    const killed = performance.now()
    await system.victims[name]?.()
    startMs = performance.now() - killed
    if (isHasty) await endLeases(system)
  }
}

async function endLeases(system: DaySystem): Promise<void> {
  for (const schema of schemas) {
    const ended = `set leased_until_date = '-infinity'`
    await rowsOf(await system.databaseOf(schema), `update ${schema}.idempotency_keys ${ended}`)
  }
  await expireMessageLeases(await system.databaseOf('webhooks'))
}

async function rest(ms: number, isOver: () => boolean): Promise<void> {
  for (const until = Date.now() + ms; Date.now() < until && !isOver(); ) await sleep(100)
}
