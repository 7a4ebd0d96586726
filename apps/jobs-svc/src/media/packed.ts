import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import type { FrameSource } from '@reticle/contracts/rest/media'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/pieces'
import { largestImageBytes } from './image.ts'
import { openPart } from './stored-part.ts'

/** Where the bytes of a picture lie: an object of its own, or a part of one, a member of a zip archive. */
export type Place = Pick<FrameSource, 'key' | 'offset' | 'length' | 'packing'>

type Pieces = AsyncIterable<Uint8Array>

/**
 * The original bytes of a picture in pieces.
 *
 * @throws DomainError not_found when the object is gone, unavailable when it is not whole. While reading: an error of `isUnpackError`.
 */
export async function openPlace(
  blobs: Pick<BlobStore, 'get'>,
  { key, offset, length, packing }: Place,
): Promise<Pieces> {
  if (length === 0) return unpack([], 'stored')
  return unpack(await openPart(blobs, key, { start: offset, end: offset + length }), packing)
}

/** The same, opened when it is first read. */
export async function* readPlace(
  blobs: Pick<BlobStore, 'get'>,
  place: Place,
): AsyncGenerator<Uint8Array> {
  yield* await openPlace(blobs, place)
}

/**
 * Undoes what a zip archive did to the bytes of a member. An archive may lie about the size of one, so that they are
 * counted: more than `most` is an error of `isUnpackError`.
 */
export async function* unpack(
  pieces: Pieces | Iterable<Uint8Array>,
  packing: Place['packing'],
  most = largestImageBytes,
): AsyncGenerator<Uint8Array> {
  if (packing === 'stored') {
    yield* pieces
    return
  }
  const packed = Readable.from(pieces)
  const unpacked = createInflateRaw({ chunkSize: pieceBytes })
  packed.on('error', (error) => unpacked.destroy(error))
  let size = 0
  try {
    for await (const piece of packed.pipe(unpacked)) {
      size += piece.length
      if (size > most) throw new UnpackedTooLarge(`unpacks to more than ${most} bytes`)
      yield piece
    }
  } finally {
    packed.destroy()
  }
}

class UnpackedTooLarge extends Error {}

export function isUnpackError(thrown: unknown): boolean {
  if (thrown instanceof UnpackedTooLarge) return true
  return thrown instanceof Error && String(Reflect.get(thrown, 'code')).startsWith('Z_')
}

/** The first `most` bytes in one buffer (all of them when there are fewer); what follows is not read. */
export async function gather(pieces: Pieces, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const gathered: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    gathered.push(piece)
    size += piece.length
    if (size >= most) break
  }
  return Buffer.concat(gathered).subarray(0, most)
}
