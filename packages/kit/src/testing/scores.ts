import { appendFileSync } from 'node:fs'
import { isFullRun, scoresFile } from './config.ts'

/** What was measured of a promise of `docs/reliability.md`. */
export interface Score {
  /** Of the promise: `T-BUS-1`. */
  id: string
  /** On what, where it is measured on several: `Kafka`. */
  on: string
  /** How much was done: `200 kills, 20,000 events`. */
  count: string
  seen: string
  holds: boolean
  /** Repeats what was chosen by chance, where it can be repeated. */
  seed?: number
}

/**
 * Notes it, to be called before the expectations of a test, so that what does not hold is noted as well. `npm run soak`
 * collects the notes.
 */
export function score(given: Score): void {
  const file = scoresFile()
  if (file) appendFileSync(file, `${JSON.stringify({ ...given, is_full: isFullRun() })}\n`)
}
