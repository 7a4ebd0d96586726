import type { StoredImage } from '@reticle/contracts/rest/media'
import { DomainError, notFound } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { frameKey } from '../media/frame-key.ts'
import { largestImageBytes } from '../media/image.ts'
import { gather, isUnpackError, openPlace } from '../media/packed.ts'

type Blobs = Pick<BlobStore, 'get'>

/** Where the bytes of an image are, which never change there. */
export const sourceKey = ({ key, offset, length }: StoredImage) => `${key}:${offset}:${length}`

/** Nothing can be seen of it, and asking again does not help. */
export const undecodable = (detail = 'This image cannot be decoded.') =>
  notFound(detail, 'image_undecodable')

export const isUndecodable = (thrown: unknown) =>
  thrown instanceof DomainError && thrown.code === 'image_undecodable'

/**
 * The picture of a frame, or one beside it, as it was uploaded; of a video as a PNG. Whatever shows a picture opens it here.
 *
 * @throws DomainError not_found when the object is gone. While reading: not_found `image_undecodable` for what cannot be unpacked
 */
export async function openSource(
  blobs: Blobs,
  image: StoredImage,
): Promise<AsyncGenerator<Uint8Array>> {
  if (image.packing === 'video') return generated((await blobs.get(frameKey(image, 'png'))).chunks)
  return unpackable(await openPlace(blobs, image))
}

/** The same, opened when it is first read. */
export async function* readSource(blobs: Blobs, image: StoredImage): AsyncGenerator<Uint8Array> {
  yield* await openSource(blobs, image)
}

/** All of it, in memory: what a decoder is given. */
export async function gatherSource(blobs: Blobs, image: StoredImage): Promise<Buffer> {
  if (image.packing === 'video') return gather((await blobs.get(frameKey(image, 'tiff'))).chunks)
  return gather(await openSource(blobs, image), largestImageBytes)
}

async function* generated(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}

async function* unpackable(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (thrown) {
    throw isUnpackError(thrown) ? undecodable() : thrown
  }
}
