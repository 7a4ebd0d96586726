import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import type { Logger } from '@reticle/kit/observe/log'
import { formatNets, type Net } from '@reticle/kit/outgoing/guard'
import { runRepeatedly } from '@reticle/kit/scheduling/repeat'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { lostWorker } from '../work/failure.ts'
import type { ConverterData, Wiring } from './converter-messages.ts'
import { openConverters } from './converters.ts'
import { openDoorbell } from './doorbell.ts'
import { failLost } from './leases/repo-endings.ts'
import { findAbandoned, requeueLost } from './leases/repo-leases.ts'
import { forgetWorker, noteWorker } from './leases/repo-workers.ts'
import { watchRunningRequests } from './running-requests.ts'
import { serveSlot } from './serve-slot.ts'
import { defaultTiming, type WorkerTiming } from './timing.ts'
import { removeAbandonedDirs } from './tmp-dirs.ts'

/** Settings of `config.ts` that a worker uses. */
interface WorkerSettings
  extends Pick<ConverterData, 'tmpDir' | 'limits' | 'shareDir' | 'ffmpegPath' | 'videoCacheBytes'> {
  slots: number
  heapMib: number
  tenantConcurrency: number
  resultTtlHours: number
  allowedNets: readonly Net[]
  remoteBytes: number
  egressProxy?: string | undefined
}

export interface WorkerPorts {
  db: Kysely<RequestsDb>
  /** Wakes idle slots; without messages they poll. */
  bus: Pick<Bus, 'subscribe'>
  /** Removes files of stopped conversions and duplicate uploads. */
  blobs: Pick<BlobStore, 'remove' | 'removePrefix' | 'abandon'>
  log: Logger
  settings: WorkerSettings
  /** Module that each converter loads to reach the other services. */
  wiring: Wiring
  timing?: Partial<WorkerTiming>
}

export interface ConversionWorker {
  /** Claims no further requests, lets running ones finish for a while, then returns them to the queue. */
  stop: () => Promise<void>
}

/**
 * Starts a worker that runs one request per slot. Any number of workers share one queue: the database assigns the
 * requests, the bus only wakes idle slots (docs/spec/reliability.md#request-execution).
 */
export async function startWorker(ports: WorkerPorts): Promise<ConversionWorker> {
  const { db, bus, blobs, log, wiring } = ports
  const timing = { ...defaultTiming, ...ports.timing }
  const { slots, tenantConcurrency, resultTtlHours, tmpDir, limits, shareDir } = ports.settings
  const { allowedNets, remoteBytes: maxBytes, egressProxy } = ports.settings
  const { ffmpegPath, videoCacheBytes, heapMib } = ports.settings
  await removeAbandonedDirs(tmpDir)
  const worker = `worker-${process.pid}-${randomUUID().slice(0, 8)}`
  const logged = (what: string) => (thrown: unknown) => log.error({ err: thrown }, what)

  const running = watchRunningRequests({ db, log }, timing)
  const stopping = new AbortController()
  const bell = openDoorbell(slots, (isListening) =>
    isListening ? subscription.resume() : subscription.pause(),
  )
  const group = { group: 'reticle.workers', topic: 'reticle.requests.v1' } as const
  const subscription = bus.subscribe({ ...group, db, handle: async () => bell.ring() })

  const recover = async () => {
    for (let left = await recoverAbandoned(db, resultTtlHours); left > 0; left--) bell.ring()
  }
  const note = () => noteWorker(db, worker, slots)
  const loops = [
    runRepeatedly(timing.pollMs, recover, logged('recovery of requests of lost workers failed')),
    runRepeatedly(timing.renewMs, note, logged('worker heartbeat failed')),
  ]
  const { leaseSeconds, retrySeconds } = timing
  const shared = { db, blobs, log, running, bell, worker, timing, leaseSeconds, retrySeconds }
  const limited = { tenantConcurrency, resultTtlHours, tmpDir }
  const data = {
    wiring,
    tmpDir,
    limits,
    shareDir,
    remote: { nets: formatNets(allowedNets), maxBytes, egressProxy },
    ffmpegPath,
    videoCacheBytes,
    checkpoints: timing.checkpoints,
  }
  const converters = openConverters({ data, heapMib, log, ...timing })
  const serving = Array.from({ length: slots }, () =>
    serveSlot({ ...shared, ...limited, converters }, stopping.signal),
  )

  const drain = async () => {
    const all = Promise.all(serving)
    await Promise.race([all, sleep(timing.drainMs, undefined, { ref: false })])
    running.stopAll()
    await all
    await converters.stop()
    running.close()
  }
  return {
    stop: async () => {
      stopping.abort()
      bell.close()
      await Promise.all(loops.map((stop) => stop()))
      await forgetWorker(db, worker).catch(logged('worker not unregistered'))
      await Promise.all([subscription.stop(), drain()])
    },
  }
}

/**
 * Requeues the requests of lost workers while attempts are left, else fails them. Any worker may call it, also several
 * concurrently.
 */
export async function recoverAbandoned(
  db: Kysely<RequestsDb>,
  resultTtlHours: number,
): Promise<number> {
  const requeued = await requeueLost(db)
  for (const row of await findAbandoned(db)) await failLost(db, row, lostWorker, resultTtlHours)
  return requeued
}
