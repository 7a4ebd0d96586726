/**
 * Wake-up signal of a loop that sleeps until there is work. A ring without a waiting loop is kept for the next wait.
 */
export interface Alarm {
  ring: () => void
  /** Resolves at a ring, or after `ms` milliseconds. */
  wait: (ms: number) => Promise<void>
}

export function createAlarm(): Alarm {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring: () => {
      rung = true
      wake?.()
    },
    wait: async (ms) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
      wake = undefined
    },
  }
}
