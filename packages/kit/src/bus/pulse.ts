const usualMs = 90_000

/** Detector of a hanging loop. A turn that ends in a transient error counts as well. */
export interface Pulse {
  beat: () => void
  isAlive: () => boolean
}

/** Creates a detector that reports the loop as alive until `limitMs` have passed without a beat. */
export function createPulse(limitMs = usualMs, now: () => number = () => performance.now()): Pulse {
  let last = now()
  return {
    beat: () => {
      last = now()
    },
    isAlive: () => now() - last < limitMs,
  }
}

/**
 * Creates a detector for a Kafka group member. Its limit is longer than a rebalance of the group may take, which is
 * twice the session timeout.
 */
export const pulseOfGroup = (sessionMs: number): Pulse =>
  createPulse(Math.max(usualMs, 3 * sessionMs))
