import { setImmediate as nextTurn } from 'node:timers/promises'

/** Pauses long work when needed: `await pace()` between its steps. */
export type Pace = () => Promise<void>

/** Longest work without a pause, in milliseconds; a started step is not interrupted. */
const longestMs = 1
/** Turns of the event loop in one pause: a small call needs several, and a turn of an idle loop takes microseconds. */
const turns = 2

/**
 * Creates a pacer, which gives other work of the process its turn: after some milliseconds of work the event loop runs
 * twice. Between the pauses it costs one reading of the clock.
 */
export function createPacer(ms = longestMs): Pace {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < ms) return
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    since = performance.now()
  }
}
