import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { alarm } from '@reticle/kit/alarm'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import type { Logger } from '@reticle/kit/log'
import type { Kysely } from 'kysely'
import type { Settings } from '../config.ts'
import type { RequestsDb } from '../db/schema.ts'
import { claim } from '../requests/lease.ts'
import { recoverAbandoned } from './abandoned.ts'
import { type HeldTiming, holdRequests } from './held.ts'
import { runRequest } from './run-request.ts'
import { openSlot } from './slot.ts'
import type { Wiring } from './thread-messages.ts'
import { removeLeftBehind } from './tmp-dirs.ts'

export interface WorkerPorts {
  db: Kysely<RequestsDb>
  bus: Bus
  /** To put away what a conversion left that was stopped. */
  blobs: Pick<BlobStore, 'remove'>
  log: Logger
  settings: Settings
  /** What each conversion thread loads to reach the other services. */
  wiring: Wiring
  timing?: Partial<WorkerTiming>
}

export interface WorkerTiming extends HeldTiming {
  /** How often an idle slot looks for itself, should no wake-up arrive. */
  pollMs: number
  graceMs: number
  /** Heap of a conversion, in megabytes. */
  heapMb: number
  /** What running requests have to finish when the worker stops. */
  drainMs: number
  retrySeconds: readonly number[]
}

/** `reliability.md` 6.2 and 6.3. */
const usual: WorkerTiming = {
  pollMs: 2000,
  renewMs: 15_000,
  watchMs: 500,
  stuckMs: 10 * 60_000,
  graceMs: 800,
  heapMb: 1024,
  drainMs: 20_000,
  retrySeconds: [10, 60],
}

export interface ConversionWorker {
  /** Takes nothing new, lets what runs finish for a while, then gives it back. */
  stop: () => Promise<void>
}

/** Runs requests, as many at once as there are slots; any number of such workers share one queue. */
export async function startWorker(ports: WorkerPorts): Promise<ConversionWorker> {
  const { db, bus, log, settings, wiring } = ports
  const timing = { ...usual, ...ports.timing }
  const { tmp_dir, limits, slots, tenant_concurrency } = settings
  await removeLeftBehind(tmp_dir)
  const worker = `worker-${process.pid}-${randomUUID().slice(0, 8)}`
  const running = holdRequests({ db, log }, timing)
  const bells = Array.from({ length: slots }, alarm)
  const ring = () => {
    for (const bell of bells) bell.ring()
  }
  let isStopped = false

  const result_ttl_hours = settings.result_ttl_hours
  const shared = { ...ports, running, tmp_dir, result_ttl_hours, retrySeconds: timing.retrySeconds }
  const logged = (what: string) => (thrown: unknown) => log.error({ err: thrown }, what)

  const serve = async (index: number) => {
    const slot = openSlot({
      data: { wiring, tmp_dir, limits },
      heapMb: timing.heapMb,
      graceMs: timing.graceMs,
    })
    // With several slots, one is kept for small requests.
    const wanted = { worker, tenant_concurrency, takes_large: slots === 1 || index > 0 }
    while (!isStopped) {
      const row = await claim(db, wanted).catch(logged('no request could be claimed'))
      if (row) await runRequest({ ...shared, slot }, row)
      else await bells[index]?.wait(timing.pollMs * (0.75 + Math.random() / 2))
    }
    await slot.stop()
  }
  const recover = async () => {
    if ((await recoverAbandoned(db, result_ttl_hours)) > 0) ring()
  }
  const serving = bells.map((_, index) => serve(index))
  const recovering = setInterval(
    () => recover().catch(logged('what lost workers had could not be taken up')),
    timing.pollMs,
  )
  const group = { group: 'reticle.jobs', topic: 'reticle.requests.v1' } as const
  const subscription = bus.subscribe({ ...group, db, handle: async () => ring() })

  return {
    stop: async () => {
      isStopped = true
      clearInterval(recovering)
      await subscription.stop()
      ring()
      const all = Promise.all(serving)
      await Promise.race([all, sleep(timing.drainMs, undefined, { ref: false })])
      running.stopAll()
      await all
      running.close()
    },
  }
}
