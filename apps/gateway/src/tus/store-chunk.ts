import type { OpenedChunk } from '@reticle/contracts/rest/uploads'
import { unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { partAt, partKey, spreadBytes } from '@reticle/kit/blob/spread'
import type { Source } from './source.ts'

export interface Chunk {
  opened: Pick<OpenedChunk, 'key' | 'tail' | 'offset'>
  /** Where it ends in the file. */
  end: number
  source: Source
  /**
   * Notes that all bytes up to there are stored, the last of them in an object that has this sum; false: nothing more is to
   * be stored.
   */
  onStored: (offset: number, sha256: string) => Promise<boolean>
}

/**
 * Stores what comes as the next bytes of a file: part by part, from the source into the object store, each noted when it is
 * there for good. A source that breaks off ends its part early; what came of it is stored as well.
 *
 * @returns how far the file is stored
 */
export async function storeChunk(
  blobs: Pick<BlobStore, 'put' | 'get'>,
  { opened: { key, tail, offset }, end, source, onStored }: Chunk,
): Promise<number> {
  let at = offset
  while (at < end && (await source.hasMore())) {
    const first = partAt(at) * spreadBytes
    const stop = Math.min(first + spreadBytes, end)
    const begin = { key: tail ?? key, bytes: at - first } // of the first part only: later ones begin at their begin
    const pieces = joined(blobs, begin, source.take(stop - at))
    const { size, sha256 } = await blobs.put(partKey(key, partAt(at)), pieces)
    at = first + size
    if (!(await onStored(at, sha256))) break
  }
  return at
}

/** What is stored of a part already, and what comes. */
async function* joined(
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
