import type { RandomAccess } from '@reticle/formats/archive/source'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { gatherBytes } from './media-bytes.ts'
import { openPart } from './stored-part.ts'

/** Opens a stored object for random access by ranges. */
export function blobSource(
  blobs: Pick<BlobStore, 'get'>,
  { key, size, name }: { key: string; size: number; name?: string },
): RandomAccess {
  return {
    size,
    ...(name !== undefined && { name }),
    read: async (start, end) => {
      if (end <= start) return new Uint8Array()
      return gatherBytes(await openPart(blobs, key, { start, end }))
    },
  }
}
