import type { Kysely } from 'kysely'
import type { BlobInfo, BlobStore } from '../blob/blob.ts'
import { findRegistered } from './registry.ts'

export interface OrphanDeps<T> {
  db: Kysely<T>
  blobs: Pick<BlobStore, 'list' | 'remove'>
  /** Where objects of this registry are, and nobody else's. */
  prefix: string
}

export interface OrphanOptions {
  now: Date
  /** Told of each, before it is removed. */
  onOrphan: (orphan: BlobInfo) => void
  signal?: AbortSignal
}

/** What is younger may be known to a transaction that has not ended yet. */
const youngestMs = 48 * 3_600_000
const batch = 500

/**
 * Removes objects that no row knows, directly or by a prefix: what was written after its row was gone, by a process that
 * had been away for long (`reliability.md` 16.1). Reads the whole list.
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

/** Keys of rows that would stand for an object: its own, and every prefix that ends in "/". */
export function namesOf({ key }: Pick<BlobInfo, 'key'>): string[] {
  const parts = key.split('/')
  return parts.map((_, at) => (at === 0 ? key : `${parts.slice(0, at).join('/')}/`))
}
