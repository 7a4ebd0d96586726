import { setImmediate as nextTurn } from 'node:timers/promises'

/** Pauses long work from time to time: `await pace()` between its steps. */
export type Pace = () => Promise<void>

/** Longest work without a pause, in milliseconds; a step that has begun still ends. */
const longestMs = 1
/** Of the event loop in one pause: a small call needs many, and an idle loop makes one in microseconds. */
const turns = 2

/**
 * Gives other work of the process its turn: after some milliseconds of work the event loop runs twice. Between the pauses
 * it costs a look at the clock.
 */
export function createPacer(ms = longestMs): Pace {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < ms) return
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    since = performance.now()
  }
}
