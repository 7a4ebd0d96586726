import { createAlarm } from '@reticle/kit/scheduling/alarm'
import { type LabelSweepDeps, sweepLabels } from './sweep.ts'

/** Background task that rewrites stored rows after label changes. */
export interface Upkeep {
  /** To be called after labels changed. */
  wake: () => void
  /** Stops after the current batch. */
  stop: () => Promise<void>
}

/** Interval in milliseconds; needed because readers also record changes and other replicas handle events. */
const everyMs = 60_000
/** Delay after a job was locked by a write. */
const soonMs = 1000

export function startUpkeep(deps: LabelSweepDeps, onError: (thrown: unknown) => void): Upkeep {
  const stopping = new AbortController()
  const { signal } = stopping
  const waiting = createAlarm()
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
