import type { Kysely } from 'kysely'
import type { BlobInfo, BlobStore } from '../blob.ts'
import { findRegistered } from './registry.ts'

export interface OrphanDeps<T> {
  db: Kysely<T>
  blobs: Pick<BlobStore, 'list' | 'remove'>
  /** Key prefix of the objects of this registry only. */
  prefix: string
}

export interface OrphanOptions {
  now: Date
  /** Called for each object before it is removed. */
  onOrphan: (orphan: BlobInfo) => void
  signal?: AbortSignal
}

/** Smallest age in milliseconds; younger objects may belong to a transaction that is still open. */
const youngestMs = 48 * 3_600_000
const batch = 500

/**
 * Removes objects without a row, direct or by a prefix. A process that was suspended for long may have written them
 * after their row was deleted. Reads the complete list of objects.
 */
export async function removeOrphans<T>(deps: OrphanDeps<T>, options: OrphanOptions): Promise<void> {
  const { now, onOrphan, signal } = options
  const before = new Date(now.getTime() - youngestMs)
  for await (const found of batches(deps.blobs.list(deps.prefix), before)) {
    signal?.throwIfAborted()
    const registered = new Set(await findRegistered(deps.db, found.flatMap(namesOf)))
    for (const info of found.filter((one) => !namesOf(one).some((name) => registered.has(name)))) {
      onOrphan(info)
      await deps.blobs.remove(info.key)
    }
  }
}

async function* batches(list: AsyncIterable<BlobInfo>, before: Date): AsyncGenerator<BlobInfo[]> {
  let found: BlobInfo[] = []
  for await (const info of list) {
    if (info.modified_date < before) found.push(info)
    if (found.length < batch) continue
    yield found
    found = []
  }
  yield found
}

/** Returns the keys of rows that could stand for an object: its own key, and every prefix that ends in "/". */
export function namesOf({ key }: Pick<BlobInfo, 'key'>): string[] {
  const parts = key.split('/')
  return parts.map((_, at) => (at === 0 ? key : `${parts.slice(0, at).join('/')}/`))
}
