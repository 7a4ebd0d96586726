import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/call/pieces'
import { openPart } from '../storage/stored-file.ts'
import { largestImageBytes } from './image.ts'

/** Place of the bytes of a picture: a whole object, or a part of one, such as a member of a zip archive. */
export type MediaLocation = Pick<FrameSource, 'key' | 'offset' | 'length' | 'packing'>

type Pieces = AsyncIterable<Uint8Array>

/**
 * Opens the original bytes of a picture in pieces.
 *
 * @throws DomainError not_found when the object is missing, unavailable when it is incomplete. While reading: an error
 *   of `isUnpackError`.
 */
export async function openMediaBytes(
  blobs: Pick<BlobStore, 'get'>,
  { key, offset, length, packing }: MediaLocation,
): Promise<Pieces> {
  if (length === 0) return unpackMember([], 'stored')
  return unpackMember(await openPart(blobs, key, { start: offset, end: offset + length }), packing)
}

/** Reads a picture, opened at the first read. */
export async function* readMediaBytes(
  blobs: Pick<BlobStore, 'get'>,
  location: MediaLocation,
): AsyncGenerator<Uint8Array> {
  yield* await openMediaBytes(blobs, location)
}

/** Unpacked size below which any compression ratio is allowed. */
const largeBytes = 64 * 1024 ** 2

/** Returns whether the ratio of unpacked to packed bytes indicates a decompression bomb. */
export const isBomb = (size: number, packed: number, ratio = archiveLimits.ratio): boolean =>
  size > largeBytes && size > packed * ratio

/**
 * Unpacks a member of a zip archive. Its stated size is not trusted, so bytes are counted: more than `most`, or more
 * than a plausible ratio, is an error of `isUnpackError`.
 */
export async function* unpackMember(
  pieces: Pieces | Iterable<Uint8Array>,
  packing: MediaLocation['packing'],
  most = largestImageBytes,
): AsyncGenerator<Uint8Array> {
  if (packing === 'stored') {
    yield* pieces
    return
  }
  const counted = { packed: 0 }
  const packed = Readable.from(countedIn(pieces, counted))
  const unpacked = createInflateRaw({ chunkSize: pieceBytes })
  packed.on('error', (error) => unpacked.destroy(error))
  let size = 0
  try {
    for await (const piece of packed.pipe(unpacked)) {
      size += piece.length
      if (size > most || isBomb(size, counted.packed)) throw new UnpackedTooLarge()
      yield piece
    }
  } finally {
    packed.destroy()
  }
}

/** Passes pieces on and adds their bytes to `counted`. */
export async function* countedIn(
  pieces: Pieces | Iterable<Uint8Array>,
  counted: { packed: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    counted.packed += piece.length
    yield piece
  }
}

class UnpackedTooLarge extends Error {}

export const isTooLarge = (thrown: unknown): boolean => thrown instanceof UnpackedTooLarge

export function isUnpackError(thrown: unknown): boolean {
  if (isTooLarge(thrown)) return true
  return thrown instanceof Error && String(Reflect.get(thrown, 'code')).startsWith('Z_')
}
