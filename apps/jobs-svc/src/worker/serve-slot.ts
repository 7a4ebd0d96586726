import type { Doorbell } from './doorbell.ts'
import { claimRequest } from './leases/repo-claims.ts'
import { requeueUnfinished } from './leases/repo-leases.ts'
import { type RunDeps, runRequest } from './run-request.ts'
import type { WorkerTiming } from './timing.ts'

export interface SlotDeps extends RunDeps {
  bell: Doorbell
  timing: WorkerTiming
  tenantConcurrency: number
  /** Name of the worker in the rows that it claims. */
  worker: string
}

/** Runs requests one after the other, until `stopping` fires and the last one has ended. */
export async function serveSlot(deps: SlotDeps, stopping: AbortSignal): Promise<void> {
  const { bell, timing } = deps
  let isFree = true
  while (!stopping.aborted) {
    const row = await claimNext(deps, stopping)
    if (row) {
      bell.found(isFree)
      isFree = false
      await runRequest(deps, row)
    } else {
      bell.foundNothing(isFree)
      isFree = !(await bell.wait(timing.pollMs * (0.75 + Math.random() / 2)))
    }
  }
}

async function claimNext(deps: SlotDeps, stopping: AbortSignal) {
  const { db, log, worker, tenantConcurrency, leaseSeconds } = deps
  try {
    const row = await claimRequest(db, { worker, tenantConcurrency, leaseSeconds })
    if (!row || !stopping.aborted) return row
    await requeueUnfinished(db, row)
  } catch (thrown) {
    log.error({ err: thrown }, 'request claim failed')
  }
  return undefined
}
