import { parseArgs } from 'node:util'
import { prepareCheckout } from '@reticle/scripts/ready'
import { freePort } from '@reticle/standalone/free-port'
import { openCluster } from './cluster.ts'
import { type DayResult, liveDay } from './day.ts'
import type { DaySystem } from './day-system.ts'
import { openEmbedded } from './embedded.ts'
import { tableOf } from './figures.ts'

const usage = `npm run soak -- day [options]

A day of load in an hour: people make projects and tasks, upload pictures in every way, annotate, comment, import and export
every format, back up, restore and delete, beside receivers of webhooks that do not behave, while everything there is is
killed at random. In the end nothing that was acknowledged may be lost, duplicated or changed, memory and disk are as they
were, and the logs have no unexpected warning. The last lines are a table; the exit code is 1 where a row does not hold.

  --mode MODE     embedded, cluster or both; default: both, one after the other
  --minutes N     of each; default: 30. The comparison afterwards takes some more
  --people N      who work beside each other; default: 4
  --seed N        of what people do and what is killed; default: 1

  npm run soak -- day --mode embedded --minutes 5
`

/**
 * Runs `npm run soak -- day`.
 * @returns the exit code
 */
export async function runDay(words: string[]): Promise<number> {
  const options = readOptions(words)
  prepareCheckout()
  let code = 0
  let running: DaySystem | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, async () => {
      await running?.stop()
      process.exit(1)
    })
  for (const mode of options.modes) {
    console.log(`${mode}: starting`)
    const system = await open(mode)
    running = system
    try {
      const result = await liveDay({
        ...options,
        system,
        report: (line) => console.log(`${mode}: ${line}`),
      })
      if (!print(mode, result)) code = 1
    } finally {
      await system.stop()
    }
  }
  return process.exit(code) // connections of the systems may still be open
}

function readOptions(words: string[]) {
  const text = { type: 'string' } as const
  const options = {
    mode: text,
    minutes: text,
    people: text,
    seed: text,
    help: { type: 'boolean' },
  } as const
  try {
    const { mode = 'both', help, ...rest } = parseArgs({ args: words, options }).values
    if (help) {
      console.log(usage)
      return process.exit(0)
    }
    const known = { embedded: ['embedded'], cluster: ['cluster'], both: ['embedded', 'cluster'] }
    const modes = Object.entries(known).find(([name]) => name === mode)?.[1]
    if (!modes) throw new Error(`--mode ${mode}: expected embedded, cluster or both`)
    const number = (name: 'minutes' | 'people' | 'seed', otherwise: number) => {
      const value = rest[name] === undefined ? otherwise : Number(rest[name])
      if (value > 0) return value
      throw new Error(`--${name} ${rest[name]}: expected a number above 0`)
    }
    return {
      modes,
      minutes: number('minutes', 30),
      people: number('people', 4),
      seed: number('seed', 1),
    }
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`)
    return process.exit(2)
  }
}

async function open(mode: string): Promise<DaySystem> {
  return mode === 'cluster' ? openCluster() : openEmbedded(await freePort())
}

/** Prints the findings and the table; returns whether every row holds. */
function print(mode: string, { figures, ledger, logs }: DayResult): boolean {
  const list = (title: string, rows: Iterable<[string, number]>) => {
    for (const [what, many] of [...rows].sort(([, a], [, b]) => b - a))
      console.log(`${mode}: ${title}: ${many} x ${what}`)
  }
  list('killed', ledger.kills)
  list('exported', ledger.exports)
  list('imported', ledger.imports)
  list('interrupted', ledger.interrupted)
  const entries = [...logs].map(([what, one]) => ({ what, ...one }))
  const pairs = (isExpected: boolean): [string, number][] =>
    entries.filter((one) => one.isExpected === isExpected).map((one) => [one.what, one.count])
  list('logged, and explained by a fault', pairs(true))
  list('LOGGED', pairs(false))
  for (const { isExpected, example } of logs.values())
    if (!isExpected) console.log(`${mode}: for example ${example}`)
  list('WRONG', ledger.wrong)
  console.log(`\n${mode}\n\n${tableOf(figures)}\n`)
  return figures.every(({ holds }) => holds)
}
