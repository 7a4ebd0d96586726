import { appendFileSync } from 'node:fs'
import { isFullRun, scoresFile } from './config.ts'

/** Measurement of a promise of `docs/scoreboard.md`. */
export interface Score {
  /** Id of the promise: `T-BUS-1`. */
  id: string
  /** Variant, if there are several: `Kafka`. */
  on: string
  /** Extent of the measurement: `200 kills, 20,000 events`. */
  count: string
  seen: string
  holds: boolean
  /** Seed of the random choices, if the measurement can be repeated with it. */
  seed?: number
}

/**
 * Records a measurement. Call it before the expectations of a test, so that a failed promise is recorded as well. `npm
 * run soak` collects the records.
 */
export function recordScore(given: Score): void {
  const file = scoresFile()
  if (file) appendFileSync(file, `${JSON.stringify({ ...given, is_full: isFullRun() })}\n`)
}
