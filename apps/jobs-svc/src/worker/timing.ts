import { leaseSeconds } from '../leases/lease.ts'
import { type CheckpointTiming, hardLimitMs } from '../operations/operation.ts'
import type { HeldTiming } from './held.ts'

export interface WorkerTiming extends HeldTiming {
  /** How often an idle slot looks for itself, should no wake-up arrive. */
  pollMs: number
  /** What a conversion that is stopped has for putting its files away. */
  graceMs: number
  /** How long an idle converter is kept. */
  idleMs: number
  /** What running requests have to finish when the worker stops: 90 s in a cluster (`reliability.md` 6.2). */
  drainMs: number
  /** Seconds before the second and the third attempt. */
  retrySeconds: readonly number[]
  /** Of long exports. */
  checkpoints: CheckpointTiming
}

/** `reliability.md` 6.2 and 6.3; the drain is that of the embedded mode. */
export const usualTiming: WorkerTiming = {
  pollMs: 2000,
  leaseSeconds,
  renewMs: 15_000,
  watchMs: 500,
  stuckMs: 10 * 60_000,
  limitMs: hardLimitMs,
  graceMs: 800,
  idleMs: 5 * 60_000,
  drainMs: 20_000,
  retrySeconds: [10, 60],
  checkpoints: { afterMs: 5 * 60_000, everyMs: 15_000 },
}
