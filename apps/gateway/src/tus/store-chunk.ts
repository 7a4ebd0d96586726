import type { OpenedUploadChunk } from '@reticle/contracts/rest/uploads'
import { unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { partAt, partKey, spreadBytes } from '@reticle/kit/blob/spread'
import type { ChunkSource } from './source.ts'

export interface Chunk {
  opened: Pick<OpenedUploadChunk, 'key' | 'tail' | 'offset'>
  /** End of the chunk in the file. */
  end: number
  source: ChunkSource
  /**
   * Records that all bytes up to the offset are stored, with the checksum of their last object. Returns false when
   * nothing more may be stored.
   */
  onStored: (offset: number, sha256: string) => Promise<boolean>
}

/**
 * Stores the next bytes of a file in parts, and records each part when it is stored. When the source breaks off, the
 * incomplete part is stored as well.
 * @returns the number of stored bytes of the file
 */
export async function storeChunk(
  blobs: Pick<BlobStore, 'put' | 'get'>,
  { opened: { key, tail, offset }, end, source, onStored }: Chunk,
): Promise<number> {
  let at = offset
  while (at < end && (await source.hasMore())) {
    const first = partAt(at) * spreadBytes
    const stop = Math.min(first + spreadBytes, end)
    const begin = { key: tail ?? key, bytes: at - first } // only relevant for the first part, because later ones begin at their start
    const pieces = joinStoredBytes(blobs, begin, source.take(stop - at))
    const { size, sha256 } = await blobs.put(partKey(key, partAt(at)), pieces)
    at = first + size
    if (!(await onStored(at, sha256))) break
  }
  return at
}

/** Yields the stored bytes of a part, then the arriving ones. */
async function* joinStoredBytes(
  blobs: Pick<BlobStore, 'get'>,
  { key, bytes }: { key: string; bytes: number },
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (bytes > 0) {
    const { size, chunks } = await blobs.get(key, { start: 0, end: bytes - 1 })
    if (size < bytes) throw unavailable('The object storage has not all of a stored file.')
    yield* chunks
  }
  yield* pieces
}
