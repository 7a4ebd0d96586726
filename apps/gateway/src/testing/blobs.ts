import { buffer } from 'node:stream/consumers'
import { notFound } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'

/** Objects in memory, with the map that holds them. */
export function memoryBlobs(objects = new Map<string, Buffer>()): BlobStore {
  const find = (key: string) => {
    const found = objects.get(key)
    if (!found) throw notFound()
    return found
  }
  return {
    async put(key, pieces) {
      const bytes = await buffer(pieces)
      objects.set(key, bytes)
      return { size: bytes.length, sha256: '', etag: '' }
    },
    async get(key, range) {
      const whole = find(key)
      const bytes = range ? whole.subarray(range.start, range.end + 1) : whole
      return { size: whole.length, chunks: chunksOf(bytes) }
    },
    async removePrefix(prefix) {
      for (const key of objects.keys()) if (key.startsWith(prefix)) objects.delete(key)
    },
  }
}

async function* chunksOf(bytes: Buffer) {
  yield bytes
}
