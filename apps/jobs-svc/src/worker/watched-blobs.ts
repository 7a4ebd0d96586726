import type { BlobStore } from '@reticle/kit/blob/blob'

/**
 * The same store, saying with every piece that comes or goes that it moves: a conversion that waits for a slow store makes
 * progress, however long one file takes (`reliability.md` F22).
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
