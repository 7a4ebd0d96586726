import type { DayCaller } from './day-caller.ts'

/** An acknowledged rectangle, identified by its `group`. */
export interface DrawnBox {
  frame: number
  points: readonly number[]
}

export interface DayTask {
  id: number
  name: string
  frames: number
  jobs: readonly { id: number; start_frame: number }[]
  label_id: number
  boxes: Map<number, DrawnBox>
  /** Comments of the issue of its first job. */
  comments: Map<number, string>
}

export interface DayProject {
  id: number
  name: string
  owner: DayCaller
  tasks: DayTask[]
}

/** Messages that a webhook must have received in the end. */
export interface ExpectedMessage {
  webhook: number
  mark: string
}

export interface DayLedger {
  calls: number
  /** Number of calls that were answered 503, 429 or not at all, and were repeated. */
  refusals: number
  /** Answers, files and states that should not occur, with their number. */
  wrong: Map<string, number>
  /** Number of finished requests. */
  finished: number
  /** Requests that failed because their processes were killed, by message. */
  interrupted: Map<string, number>
  /** Number of verified exports, by format. */
  exports: Map<string, number>
  imports: Map<string, number>
  projects: DayProject[]
  /** Paths of deleted objects. */
  deleted: { path: string; owner: DayCaller }[]
  expectedMessages: ExpectedMessage[]
  kills: Map<string, number>
  /** Number of complete shifts. */
  shifts: number
}

export const newLedger = (): DayLedger => ({
  calls: 0,
  refusals: 0,
  wrong: new Map(),
  finished: 0,
  interrupted: new Map(),
  exports: new Map(),
  imports: new Map(),
  projects: [],
  deleted: [],
  expectedMessages: [],
  kills: new Map(),
  shifts: 0,
})

/** Increments a count. */
export function incrementCount(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

export const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0)

/** Shortens a failure so that failures of one kind are equal. */
export const kindOf = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27,}/g, 'UUID')
    .replace(/\d+/g, 'N')
    .slice(0, 300)
