import type { BlobStore } from '@reticle/kit/blob/blob'

/**
 * Wraps a blob store and calls `moved` for every piece read or written, so that a conversion on a slow store counts as
 * making progress, however long one file takes.
 */
export function watchedBlobs(blobs: BlobStore, moved: () => void): BlobStore {
  return {
    ...blobs,
    put: (key, chunks, options) => blobs.put(key, each(chunks, moved), options),
    putInSteps: (key, chunks, { isDue, ...steps }) =>
      blobs.putInSteps(key, each(chunks, moved), {
        ...steps,
        isDue: () => {
          moved()
          return isDue()
        },
      }),
    get: async (key, range) => {
      const blob = await blobs.get(key, range)
      return { ...blob, chunks: each(blob.chunks, moved) }
    },
  }
}

async function* each<T>(pieces: AsyncIterable<T>, moved: () => void): AsyncGenerator<T> {
  for await (const piece of pieces) {
    moved()
    yield piece
  }
}
