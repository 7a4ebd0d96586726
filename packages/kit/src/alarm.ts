/** Lets a loop sleep until there is work: a ring is remembered until the next wait. */
export interface Alarm {
  ring: () => void
  /** Resolves at a ring, or after `ms`. */
  wait: (ms: number) => Promise<void>
}

export function alarm(): Alarm {
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
