const usualMs = 90_000

/** Whether a loop still goes round, well or badly: an error that passes is a beat too. */
export interface Pulse {
  beat: () => void
  isAlive: () => boolean
}

/** Alive until `limitMs` have passed without a beat. */
export function pulse(limitMs = usualMs, now: () => number = () => performance.now()): Pulse {
  let last = now()
  return {
    beat: () => {
      last = now()
    },
    isAlive: () => now() - last < limitMs,
  }
}

/** Longer than a group of Kafka may take to share its partitions anew: twice its session timeout. */
export const pulseOfGroup = (sessionMs: number): Pulse => pulse(Math.max(usualMs, 3 * sessionMs))
