import type { Logger } from '@reticle/kit/observe/log'
import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { renewLeases, stillHeld } from './leases/repo-leases.ts'
import type { StopReason } from './settle.ts'

/** Request that this worker runs. */
export interface RunningRequest {
  row: RequestRow
  abort: AbortController
  reason?: StopReason
  /** Times in milliseconds of `performance.now()`. */
  started: number
  moved: number
  renewed: number
}

export interface RunningTiming {
  /** Time without renewal after which another worker may claim the request. */
  leaseSeconds: number
  renewMs: number
  /** Interval of the checks that notice a cancellation. */
  watchMs: number
  /** Longest time without progress. */
  stuckMs: number
  /** Longest time that a request may run. */
  limitMs: number
}

export interface RunningRequests {
  add: (row: RequestRow) => RunningRequest
  /** Records progress of a request. */
  moved: (held: RunningRequest) => void
  remove: (held: RunningRequest) => void
  stopAll: () => void
  close: () => void
}

/**
 * Renews the leases of running requests. It runs in the worker and not in the converters: a conversion that blocks its
 * event loop cannot lose its lease, and a dead worker cannot keep one. Stops requests that were cancelled, lost their
 * lease, or make no progress.
 */
export function watchRunningRequests(
  { db, log }: { db: Kysely<RequestsDb>; log: Logger },
  timing: RunningTiming,
): RunningRequests {
  const all = new Set<RunningRequest>()

  const watch = async () => {
    const now = performance.now()
    const running = [...all]
    stopOverdue(running, now, timing)
    if (running.length === 0) return
    const leases = running.map(leaseOf)
    const isDue = running.some((held) => now - held.renewed > timing.renewMs)
    const heldIds = await (isDue
      ? renewLeases(db, leases, timing.leaseSeconds)
      : stillHeld(db, leases))
    for (const held of running) {
      if (!heldIds.has(held.row.request_uuid)) stop(held, 'lost')
      else if (isDue) held.renewed = now
    }
  }

  let isWatching = false
  const timer = setInterval(async () => {
    if (isWatching) return
    isWatching = true
    await watch().catch((thrown) => log.error({ err: thrown }, 'lease renewal failed'))
    isWatching = false
  }, timing.watchMs)

  return {
    add: (row) => {
      const now = performance.now()
      const held = { row, abort: new AbortController(), started: now, moved: now, renewed: now }
      all.add(held)
      return held
    },
    moved: (held) => {
      held.moved = performance.now()
    },
    remove: (held) => all.delete(held),
    stopAll: () => {
      for (const held of all) stop(held, 'shutdown')
    },
    close: () => clearInterval(timer),
  }
}

const leaseOf = ({ row: { request_uuid, lease_token } }: RunningRequest) => ({
  request_uuid,
  lease_token,
})

function stopOverdue(
  running: readonly RunningRequest[],
  now: number,
  { stuckMs, limitMs, leaseSeconds }: RunningTiming,
): void {
  for (const held of running) {
    // The database was unreachable for that long, so another worker may have claimed the request by now.
    if (now - held.renewed > leaseSeconds * 1000) stop(held, 'lost')
    if (now - held.started > limitMs) stop(held, 'too long')
    if (now - held.moved > stuckMs) stop(held, 'stuck')
  }
}

function stop(held: RunningRequest, reason: StopReason): void {
  held.reason ??= reason
  held.abort.abort()
}
