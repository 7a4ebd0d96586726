import type { CheckpointTiming } from '../operations/operation.ts'
import { hardLimitMs } from '../work/request-work.ts'
import { leaseSeconds } from './leases/repo-leases.ts'
import type { RunningTiming } from './running-requests.ts'

export interface WorkerTiming extends RunningTiming {
  /** Interval at which an idle slot polls without messages. */
  pollMs: number
  /** Time for a stopped conversion to clean up its files. */
  graceMs: number
  /** Time that an idle converter is kept. */
  idleMs: number
  /** Time for running requests to finish when the worker stops; longer in a cluster. */
  drainMs: number
  /** Seconds before the second and the third attempt. */
  retrySeconds: readonly number[]
  /** Checkpoints of long exports. */
  checkpoints: CheckpointTiming
}

/** Default timing; `drainMs` is that of the single-process mode. */
export const defaultTiming: WorkerTiming = {
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
