import type { Left } from './disk.ts'
import type { Gauges } from './gauges.ts'
import { type DayLedger, sumOf } from './ledger.ts'
import type { LogGroup } from './logs.ts'
import type { Receivers } from './receivers.ts'

/** A row of the final table. */
export interface DayFigure {
  what: string
  seen: string
  goal: string
  holds: boolean
}

export interface Day {
  ledger: DayLedger
  receivers: Pick<Receivers, 'provoked' | 'hearing'>
  memory: ReturnType<Gauges['quarters']>
  left: Left
  logs: ReadonlyMap<string, LogGroup>
}

/** Allowed growth of a process from the second to the last quarter of the time without kills. */
const growth = { ratio: 1.25, mib: 48 }

const least = (what: string, seen: number, goal = 1): DayFigure => ({
  ...{ what, seen: String(seen), goal: `>= ${goal}`, holds: seen >= goal },
})
const none = (what: string, seen: number): DayFigure => ({
  ...{ what, seen: String(seen), goal: '0', holds: seen === 0 },
})
/** Builds a figure that names the first finding, so that a failed row shows where to look. */
const noneOf = (what: string, found: readonly string[]): DayFigure => ({
  ...none(what, found.length),
  ...(found[0] && { seen: `${found.length}, such as ${found[0]}` }),
})

/** Returns all measurements with their limits. */
export function figuresOf({ ledger, receivers, memory, left, logs }: Day): DayFigure[] {
  const unexpected = [...logs.values()].filter(({ isExpected }) => !isExpected)
  return [
    least('calls', ledger.calls),
    least('kills', sumOf(ledger.kills)),
    least('requests of background work that were finished', ledger.finished),
    least('exports that were read', sumOf(ledger.exports)),
    least('imports that were compared', sumOf(ledger.imports)),
    least('changes that webhooks must receive', ledger.expectedMessages.length),
    least('attempts at misbehaving receivers', receivers.provoked()),
    none('lost, duplicated, failed or unexpectedly changed objects', sumOf(ledger.wrong)),
    ...Object.entries(memory).map(memoryFigure),
    noneOf(`objects that are left of ${left.liveMiB.toFixed(1)} MiB`, left.kept),
    noneOf('objects without a record', left.unknown),
    noneOf('rows of registries that are left', left.rows),
    noneOf('temporary files that are left', left.temporary),
    none(
      'unexpected warnings in the logs',
      unexpected.reduce((sum, { count }) => sum + count, 0),
    ),
  ]
}

function memoryFigure([name, { second, last }]: [string, { second: number; last: number }]) {
  const most = Math.max(second * growth.ratio, second + growth.mib)
  return {
    what: `${name}: memory in the last quarter of the quiet time / in the second`,
    seen: `${last.toFixed(0)} / ${second.toFixed(0)} MiB`,
    goal: `<= ${most.toFixed(0)} MiB`,
    holds: last <= most,
  }
}

export function tableOf(figures: readonly DayFigure[]): string {
  const rows = figures.map(
    ({ what, seen, goal, holds }) =>
      `| ${what} | ${seen} | ${goal} | ${holds ? 'yes' : '**no**'} |`,
  )
  return ['| What | Seen | Goal | Holds |', '|---|---|---|---|', ...rows].join('\n')
}
