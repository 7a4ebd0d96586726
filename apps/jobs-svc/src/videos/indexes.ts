import type { BlobStore } from '@reticle/kit/blob/blob'
import { readIndex, type StoredIndex } from './stored-index.ts'

/** Number of indexes kept in memory. */
const mostIndexes = 8

/** Creates a reader of video indexes by the keys of their objects, with a cache of the most recently used ones. */
export function openIndexes(blobs: Pick<BlobStore, 'get'>): (key: string) => Promise<StoredIndex> {
  const indexes = new Map<string, Promise<StoredIndex>>()
  return (key) => {
    const known = indexes.get(key) ?? readIndex(blobs, key)
    known.catch(() => indexes.delete(key))
    indexes.delete(key)
    indexes.set(key, known)
    const [oldest] = indexes.keys()
    if (indexes.size > mostIndexes && oldest !== undefined) indexes.delete(oldest)
    return known
  }
}
