import { alarm } from '@reticle/kit/alarm'
import { type SweepDeps, sweepLabels } from './sweep.ts'

/** Work in the background that keeps stored rows as their labels want them. */
export interface Upkeep {
  /** To be called when labels have changed. */
  wake: () => void
  /** Ends after the batch at hand. */
  stop: () => Promise<void>
}

/** Readers note changes too, and other replicas hear of the events. */
const everyMs = 60_000
/** Where a job was just being written. */
const soonMs = 1000

export function startUpkeep(deps: SweepDeps, onError: (thrown: unknown) => void): Upkeep {
  const stopping = new AbortController()
  const { signal } = stopping
  const waiting = alarm()
  const sweep = async () => {
    try {
      return await sweepLabels(deps, signal)
    } catch (thrown) {
      if (!signal.aborted) onError(thrown)
      return false
    }
  }
  const work = async () => {
    while (!signal.aborted) {
      const isMore = await sweep()
      if (!signal.aborted) await waiting.wait(isMore ? soonMs : everyMs)
    }
  }
  const running = work()
  return {
    wake: waiting.ring,
    stop: () => {
      stopping.abort()
      waiting.ring()
      return running
    },
  }
}
