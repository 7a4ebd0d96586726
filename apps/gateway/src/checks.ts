import { statfs } from 'node:fs/promises'
import { getHeapStatistics } from 'node:v8'
import { unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { GatewaySettings } from './config.ts'
import type { HealthChecks } from './ports.ts'

/** Checks of the process itself for `GET /server/health`. */
export function createProcessChecks(
  { diskUsageMax }: Pick<GatewaySettings, 'diskUsageMax'>,
  folder: string,
): HealthChecks {
  return {
    DiskUsage: async () => assertRoom(await statfs(folder), diskUsageMax),
    MemoryUsage: async () => assertMemory(memoryInUse()),
  }
}

/** Object key prefix of cached scaled images. */
export const scaledImagePrefix = 'requests/frames/'

/** Checks that the object store can list keys with a prefix. */
export async function assertStoreReachable(
  { list }: Pick<BlobStore, 'list'>,
  prefix: string,
): Promise<void> {
  for await (const _ of list(prefix)) break
}

/**
 * Checks the used share of the disk.
 * @throws DomainError unavailable above `most` percent, with a message for unauthenticated callers
 */
export function assertRoom({ blocks, bavail }: { blocks: number; bavail: number }, most: number) {
  const used = percent(1 - bavail / blocks)
  if (used > most) throw unavailable(`the disk is ${used} % full`)
}

const mostMemory = 95 // percent

export interface MemoryInUse {
  heap: number
  heapLimit: number
  /** Resident memory of the process, and the limit of its container; 0 for no limit. */
  resident: number
  allowed: number
}

/**
 * Checks the used share of the memory.
 * @throws DomainError unavailable when little is left
 */
export function assertMemory({ heap, heapLimit, resident, allowed }: MemoryInUse): void {
  const ofContainer = allowed > 0 ? resident / allowed : 0
  const used = percent(Math.max(heap / heapLimit, ofContainer))
  if (used > mostMemory) throw unavailable(`${used} % of the memory is in use`)
}

function memoryInUse(): MemoryInUse {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics()
  const allowed = process.constrainedMemory()
  const isLimit = allowed < 2 ** 52 // without a limit the value is close to the maximum of an integer
  return { heap, heapLimit, resident: process.memoryUsage.rss(), allowed: isLimit ? allowed : 0 }
}

const percent = (part: number) => Math.round(part * 100)
