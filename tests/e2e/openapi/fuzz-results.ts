import type { FuzzCall } from './calls.ts'
import type { DocumentOperation } from './document.ts'

/** Collects the results of a run: answers by operation and status, and each distinct failure once. */
export function openFuzzResults() {
  const counts = new Map<string, Map<number, number>>()
  const failures = new Map<string, string>()
  const all = () => [...counts.values()].flatMap((one) => [...one])
  const sum = (some: [number, number][]) => some.reduce((total, [, count]) => total + count, 0)

  function byStatus(): Record<number, number> {
    const statuses = all().toSorted(([a], [b]) => a - b)
    return statuses.reduce<Record<number, number>>(
      (total, [status, count]) => Object.assign(total, { [status]: (total[status] ?? 0) + count }),
      {},
    )
  }
  /** Operations of which no call succeeded. */
  function neverDone(): string[] {
    const isDone = ([, one]: [string, Map<number, number>]) =>
      [...one.keys()].some((status) => status < 400)
    return [...counts].filter((one) => !isDone(one)).map(([name]) => name)
  }

  return {
    count({ operation }: FuzzCall, status: number) {
      const ofOne = counts.get(operation.name) ?? new Map<number, number>()
      counts.set(operation.name, ofOne.set(status, (ofOne.get(status) ?? 0) + 1))
    },
    fail({ operation }: FuzzCall, wrong: string, seen: string) {
      const [what = ''] = wrong.split('\n', 1)
      failures.set(`${operation.name}: ${what}`, `${wrong}\n${seen}`)
    },
    failures,
    /** Answers that report a server failure; 503 reports a missing resource instead. */
    broken: () => sum(all().filter(([status]) => status >= 500 && status !== 503)),
    /** Share of the calls, from 0 to 1. */
    share: (isMeant: (status: number) => boolean) =>
      sum(all().filter(([status]) => isMeant(status))) / sum(all()),
    neverCalled: (operations: readonly DocumentOperation[]) =>
      operations.map(({ name }) => name).filter((name) => !counts.has(name)),
    summary: () => ({ statuses: byStatus(), neverDone: neverDone() }),
  }
}

export type FuzzResults = ReturnType<typeof openFuzzResults>
