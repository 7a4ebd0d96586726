/** Longer than a group of Kafka may take to share its partitions anew: twice its session timeout, 60 s by default. */
const limitMs = 90_000

/** Whether a loop still goes round, well or badly: an error that passes is a beat too. */
export interface Pulse {
  beat: () => void
  isAlive: () => boolean
}

export function pulse(now: () => number = () => performance.now()): Pulse {
  let last = now()
  return {
    beat: () => {
      last = now()
    },
    isAlive: () => now() - last < limitMs,
  }
}
