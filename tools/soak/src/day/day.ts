import { setTimeout as sleep } from 'node:timers/promises'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { bucketOf } from '@reticle/tests/support/buckets'
import { createImages } from '@reticle/tests/support/pictures'
import { openRandom } from '@reticle/tests/support/random'
import { size } from './boxes.ts'
import type { DaySystem } from './day-system.ts'
import { sweepAll } from './disk.ts'
import { type DayFigure, figuresOf } from './figures.ts'
import { checkFinalState } from './final-state.ts'
import { type Gauges, watchMemory } from './gauges.ts'
import { killAtRandom } from './killer.ts'
import { type DayLedger, newLedger, sumOf } from './ledger.ts'
import { groupsOf } from './logs.ts'
import { createDayUser, workAllDay } from './people.ts'
import { startReceivers } from './receivers.ts'

/** Options of a compressed day of load: users work, parts are killed, and finally everything is compared. */

export interface DayOptions {
  system: DaySystem
  minutes: number
  people: number
  seed: number
  /** Expires leases of killed processes at once instead of waiting a minute, for a short day. */
  isHasty?: boolean
  /** Receives the progress every ten seconds. */
  report: (line: string) => void
}

export interface DayResult {
  figures: DayFigure[]
  ledger: DayLedger
  logs: ReturnType<typeof groupsOf>
}

/**
 * Share of the day with kills. Memory is measured afterwards, because a process that is killed every minute does not
 * grow.
 */
const killing = 0.6
const frames = 4
const reportMs = 10_000

/** Runs one day. */
export async function liveDay(options: DayOptions): Promise<DayResult> {
  const { system, minutes, seed, report } = options
  const ledger = newLedger()
  const began = Date.now()
  const passed = () => (Date.now() - began) / (minutes * 60_000)
  // however slow the machine is, every user does everything once, and everything is killed once
  const isOver = () => passed() >= 1 && ledger.shifts >= options.people && areKillsOver()
  const areKillsOver = () =>
    passed() >= killing && sumOf(ledger.kills) >= Object.keys(system.victims).length
  const receivers = await startReceivers()
  const shop = await startS3()
  const gauges = watchMemory(system)
  const reporting = setInterval(() => report(lineOf(passed(), minutes, ledger, gauges)), reportMs)
  try {
    const files = await createImages(frames, size.width, size.height)
    const objects = Object.fromEntries(files.map(({ name, bytes }) => [name, bytes]))
    const bucket = bucketOf(shop, 'frames', objects)
    const staff = { system, ledger, receivers, bucket, pictures: files, seed, isOver }
    const people = []
    for (let nth = 0; nth < options.people; nth++) people.push(await createDayUser(staff, nth))
    const working = people.map((person, nth) => workAllDay(person, nth))
    const { isHasty = false } = options
    const killings = { ledger, random: openRandom(seed), isHasty, isOver: areKillsOver }
    await killAtRandom(system, killings)
    gauges.restart()
    while (!isOver()) await sleep(200)
    await Promise.all(working)
    const memory = gauges.quarters()
    report('All shifts have ended: comparing')
    await checkFinalState(system, people, receivers)
    report('Deleting everything: sweeping')
    const left = await sweepAll(system, ledger)
    for (const one of [...left.kept, ...left.unknown, ...left.rows, ...left.temporary])
      report(`left: ${one}`)
    const logs = groupsOf(await system.logs())
    return { figures: figuresOf({ ledger, receivers, memory, left, logs }), ledger, logs }
  } finally {
    clearInterval(reporting)
    gauges.stop()
    await shop.close()
    await receivers.close()
  }
}

function lineOf(passed: number, minutes: number, ledger: DayLedger, gauges: Gauges): string {
  const time = `${(Math.min(passed, 1) * minutes).toFixed(1)} of ${minutes} min`
  const { calls, refusals, finished, expectedMessages, wrong } = ledger
  const counts = `${calls} calls (${refusals} sent again), ${finished} requests, ${expectedMessages.length} webhook messages`
  const memory = Object.entries(gauges.now()).map(([name, mib]) => `${name} ${mib.toFixed(0)}`)
  const all = `${counts}, ${sumOf(ledger.kills)} kills, ${sumOf(wrong)} wrong`
  return `${time}: ${all}; MiB: ${memory.join(', ')}`
}
