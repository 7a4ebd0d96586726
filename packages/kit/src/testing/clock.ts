import type { Clock } from '../scheduling/clock.ts'

export interface TestClock extends Clock {
  set: (date: Date | string) => void
  /** Advances the clock by milliseconds. */
  advance: (ms: number) => void
}

/** Creates a clock that changes only by `set` and `advance`. */
export function testClock(start: Date | string = new Date()): TestClock {
  let present = new Date(start)
  return {
    now: () => new Date(present),
    set: (date) => {
      present = new Date(date)
    },
    advance: (ms) => {
      present = new Date(present.getTime() + ms)
    },
  }
}
