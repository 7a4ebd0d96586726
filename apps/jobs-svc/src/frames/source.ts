import type { StoredImage } from '@reticle/contracts/rest/media'
import { DomainError, notFound } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { isBucketKey } from '../buckets/with-buckets.ts'
import { frameKey, videoKey } from '../media/frame-key.ts'
import { largestImageBytes } from '../media/image.ts'
import { gather, isUnpackError, openPlace } from '../media/packed.ts'
import { sniff, sniffedBytes } from '../media/sniff.ts'
import { isShareKey } from '../share/files.ts'

type Blobs = Pick<BlobStore, 'get'>

/** Where the bytes of an image are. Other bytes never come from there: a file that has changed is an error. */
export const sourceKey = ({ key, offset, length }: StoredImage) => `${key}:${offset}:${length}`

/** Nothing can be seen of it, and asking again does not help. */
export const undecodable = (detail = 'This image cannot be decoded.') =>
  notFound(detail, 'image_undecodable')

export const isUndecodable = (thrown: unknown) =>
  thrown instanceof DomainError && thrown.code === 'image_undecodable'

/**
 * The picture of a frame, or one beside it, as it was uploaded; of a video as a PNG. Whatever shows a picture opens it here.
 * Uploaded files are sniffed when they are prepared. A cloud storage and the share may return other bytes later, such as the page of a
 * service inside the network, so their files are sniffed at every read.
 *
 * @throws DomainError not_found when the object is gone, or `image_undecodable` for a file that is not a picture. While reading: not_found
 *   `image_undecodable` for a file that cannot be unpacked
 */
export async function openSource(
  blobs: Blobs,
  image: StoredImage,
): Promise<AsyncGenerator<Uint8Array>> {
  if (image.packing === 'video') return generated((await blobs.get(frameKey(image, 'png'))).chunks)
  const pieces = unpackable(await openPlace(blobs, image))
  return isBucketKey(image.key) || isShareKey(image.key) ? onlyPicture(pieces) : pieces
}

/** @throws DomainError not_found `image_undecodable` before the first byte is returned */
async function onlyPicture(
  pieces: AsyncGenerator<Uint8Array>,
): Promise<AsyncGenerator<Uint8Array>> {
  const head: Uint8Array[] = []
  let size = 0
  while (size < sniffedBytes) {
    const { value, done } = await pieces.next()
    if (done) break
    head.push(value)
    size += value.length
  }
  if (sniff(Buffer.concat(head).subarray(0, sniffedBytes)).is !== 'image') {
    await pieces.return(undefined)
    throw undecodable('This file of a cloud storage or share is not an image.')
  }
  return followedBy(head, pieces)
}

async function* followedBy(head: readonly Uint8Array[], rest: AsyncGenerator<Uint8Array>) {
  try {
    yield* head
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Empty for a file that is not a picture: in an archive, one broken file must not hide or move its neighbours. */
export async function* readSourceOrNothing(
  blobs: Blobs,
  image: StoredImage,
): AsyncGenerator<Uint8Array> {
  let pieces: AsyncGenerator<Uint8Array>
  try {
    pieces = await openSource(blobs, image)
  } catch (thrown) {
    if (isUndecodable(thrown)) return
    throw thrown
  }
  yield* pieces
}

/**
 * Pictures that are kept of files on the share are not shown either once such a file has changed.
 *
 * @throws DomainError conflict `source_changed`; not_found for a file that was deleted
 */
export async function assertUnchanged(
  blobs: Pick<BlobStore, 'stat'>,
  images: Iterable<StoredImage>,
): Promise<void> {
  const keys = new Set<string>()
  for (const image of images) {
    const { packing, key } = image
    if (packing === 'video') keys.add(videoKey(key))
    else if (isShareKey(key)) keys.add(key)
  }
  for (const key of keys) await blobs.stat(key)
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
