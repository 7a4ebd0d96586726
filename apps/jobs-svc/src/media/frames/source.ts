import type { StoredImage } from '@reticle/contracts/rest/media'
import { DomainError, notFound } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { isShareKey } from '../../storage/share/files.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { isBucketKey } from '../../storage/with-buckets.ts'
import { frameKey, videoKey } from '../frame-key.ts'
import { largestImageBytes } from '../image.ts'
import { isUnpackError, openMediaBytes } from '../media-bytes.ts'
import { sniffedBytes, sniffFile } from '../sniff.ts'

type Blobs = Pick<BlobStore, 'get'>

/** Identifies the bytes of an image. They never change under this key: a changed file is an error. */
export const sourceKey = ({ key, offset, length }: StoredImage) => `${key}:${offset}:${length}`

/** Creates the error for an image that cannot be decoded, now and after a retry. */
export const undecodable = (detail = 'This image cannot be decoded.') =>
  notFound(detail, 'image_undecodable')

export const isUndecodable = (thrown: unknown) =>
  thrown instanceof DomainError && thrown.code === 'image_undecodable'

/**
 * Opens the picture of a frame, or a context image, as uploaded; a frame of a video as PNG. Every reader of pictures
 * uses this function. Uploaded files are sniffed when they are prepared. A cloud storage and the share may return other
 * bytes later, such as the page of an internal service, so their files are sniffed at every read.
 *
 * @throws DomainError not_found when the object is missing, or `image_undecodable` for a file that is not a picture.
 *   While reading: not_found `image_undecodable` for a file that cannot be unpacked
 */
export async function openSource(
  blobs: Blobs,
  image: StoredImage,
): Promise<AsyncGenerator<Uint8Array>> {
  if (image.packing === 'video') return generated((await blobs.get(frameKey(image, 'png'))).chunks)
  const pieces = unpackable(await openMediaBytes(blobs, image))
  return isBucketKey(image.key) || isShareKey(image.key) ? onlyPicture(pieces) : pieces
}

/**
 * Passes on a picture only.
 *
 * @throws DomainError not_found `image_undecodable` before the first byte is returned
 */
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
  if (sniffFile(Buffer.concat(head).subarray(0, sniffedBytes)).is !== 'image') {
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

/**
 * Reads a picture; empty for a file that is not one: in an archive, one broken file must not hide or move its
 * neighbours.
 */
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
 * Checks the files on the share before stored pictures made of them are returned.
 *
 * @throws DomainError conflict `source_changed`; not_found for a deleted file
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

/** Reads a picture, opened at the first read. */
export async function* readSource(blobs: Blobs, image: StoredImage): AsyncGenerator<Uint8Array> {
  yield* await openSource(blobs, image)
}

/** Reads a picture whole into memory, for a decoder. */
export async function gatherSource(blobs: Blobs, image: StoredImage): Promise<Buffer> {
  if (image.packing === 'video')
    return gatherBytes((await blobs.get(frameKey(image, 'tiff'))).chunks)
  return gatherBytes(await openSource(blobs, image), largestImageBytes)
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
