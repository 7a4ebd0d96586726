import { residentMiB } from '@reticle/tests/support/processes'
import type { DaySystem } from './day-system.ts'

/** Memory of processes during a day. */
export interface Gauges {
  /** Discards earlier samples, whose processes were killed. No process is killed after this call. */
  restart: () => void
  /** Returns the present MiB of each kind of process. */
  now: () => Record<string, number>
  /** Returns the median MiB of each kind of process in the second and in the last quarter of the time. */
  quarters: () => Record<string, { second: number; last: number }>
  stop: () => void
}

const everyMs = 1000

/** Samples the memory every second. */
export function watchMemory({ pids }: Pick<DaySystem, 'pids'>): Gauges {
  let seen: Record<string, number>[] = []
  const look = () => {
    const all: Record<string, number> = {}
    for (const [name, some] of Object.entries(pids()))
      all[name] = Math.max(0, ...some.map(residentMiB))
    return all
  }
  const watch = setInterval(() => seen.push(look()), everyMs)
  return {
    restart: () => {
      seen = []
    },
    now: look,
    quarters: () => {
      const names = Object.keys(seen.at(-1) ?? {})
      const quarter = Math.floor(seen.length / 4)
      const of = (name: string, from: number) =>
        median(seen.slice(from, from + quarter).flatMap((one) => one[name] ?? []))
      return Object.fromEntries(
        names.map((name) => [
          name,
          { second: of(name, quarter), last: of(name, seen.length - quarter) },
        ]),
      )
    },
    stop: () => clearInterval(watch),
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].filter((one) => one > 0).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
