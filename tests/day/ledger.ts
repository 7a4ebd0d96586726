import type { Caller } from './person.ts'

/** What people did and were told, to be compared with what is there in the end. */

/** A rectangle as it was acknowledged, known by its `group`. */
export interface Box {
  frame: number
  points: readonly number[]
}

export interface Task {
  id: number
  name: string
  frames: number
  jobs: readonly { id: number; start_frame: number }[]
  label_id: number
  boxes: Map<number, Box>
  /** Of the issue of its first job. */
  comments: Map<number, string>
}

export interface Project {
  id: number
  name: string
  owner: Caller
  tasks: Task[]
}

/** What a webhook has to have been told in the end. */
export interface Told {
  webhook: number
  mark: string
}

export interface Ledger {
  calls: number
  /** Calls that were answered 503, 429 or not at all, and were sent again. */
  refusals: number
  /** Answers, files and states that nobody should have seen, and how often. */
  wrong: Map<string, number>
  /** Background work that was done. */
  finished: number
  /** Background work that ended because those who did it were killed, by what was said of it. */
  interrupted: Map<string, number>
  /** Files that were read and held what was there. */
  exports: Map<string, number>
  imports: Map<string, number>
  kept: Project[]
  /** Paths of what was deleted. */
  gone: { path: string; owner: Caller }[]
  told: Told[]
  kills: Map<string, number>
  /** How often somebody has done everything once. */
  shifts: number
}

export const newLedger = (): Ledger => ({
  calls: 0,
  refusals: 0,
  wrong: new Map(),
  finished: 0,
  interrupted: new Map(),
  exports: new Map(),
  imports: new Map(),
  kept: [],
  gone: [],
  told: [],
  kills: new Map(),
  shifts: 0,
})

/** One more of them. */
export function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

export const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0)

/** The shorter form of a failure, in which those of one kind are the same. */
export const kindOf = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27,}/g, 'UUID')
    .replace(/\d+/g, 'N')
    .slice(0, 300)
