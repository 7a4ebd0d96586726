import { statfs } from 'node:fs/promises'
import { getHeapStatistics } from 'node:v8'
import { unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { GatewaySettings } from './config.ts'
import type { HealthChecks } from './ports.ts'

/** What a process can find out about itself for `GET /server/health` (`spec/api-workspace.md` 1.10). */
export function ownChecks(
  { diskUsageMax }: Pick<GatewaySettings, 'diskUsageMax'>,
  folder: string,
): HealthChecks {
  return {
    DiskUsage: async () => assertRoom(await statfs(folder), diskUsageMax),
    MemoryUsage: async () => assertMemory(memoryInUse()),
  }
}

/** Where pictures that were made smaller are kept until somebody asks again. */
export const madePictures = 'requests/frames/'

/** Does the object store answer for what begins like this? */
export async function reachable({ list }: Pick<BlobStore, 'list'>, prefix: string): Promise<void> {
  for await (const _ of list(prefix)) break
}

/** @throws DomainError unavailable above `most` percent, in words that anybody may read */
export function assertRoom({ blocks, bavail }: { blocks: number; bavail: number }, most: number) {
  const used = percent(1 - bavail / blocks)
  if (used > most) throw unavailable(`the disk is ${used} % full`)
}

const mostMemory = 95 // percent

export interface MemoryInUse {
  heap: number
  heapLimit: number
  /** Of the process, and what its container may have; 0: as much as there is. */
  resident: number
  allowed: number
}

/** @throws DomainError unavailable when little is left */
export function assertMemory({ heap, heapLimit, resident, allowed }: MemoryInUse): void {
  const ofContainer = allowed > 0 ? resident / allowed : 0
  const used = percent(Math.max(heap / heapLimit, ofContainer))
  if (used > mostMemory) throw unavailable(`${used} % of the memory is in use`)
}

function memoryInUse(): MemoryInUse {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics()
  const allowed = process.constrainedMemory()
  const isLimit = allowed < 2 ** 52 // without one, a number as large as there is
  return { heap, heapLimit, resident: process.memoryUsage.rss(), allowed: isLimit ? allowed : 0 }
}

const percent = (part: number) => Math.round(part * 100)
