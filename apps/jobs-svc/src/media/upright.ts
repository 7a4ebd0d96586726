import { readJpegOrientation } from '@reticle/formats/image/jpeg-size'
import { headBytes } from '@reticle/formats/image/size'
import { cutBytes } from '@reticle/kit/call/pieces'
import type { Sharp } from 'sharp'
import { gatherBytes } from '../storage/stored-file.ts'
import { largestImageBytes, openImage } from './image.ts'

/**
 * Applies the EXIF orientation of a JPEG to its pixels: annotations refer to the upright image, and many programs ignore EXIF.
 * Other images, upright ones and broken ones are passed on unchanged.
 *
 * @param turn re-encodes a whole JPEG that has an orientation, by `encodeUpright`
 */
export async function* turnUpright(
  image: AsyncIterable<Uint8Array>,
  turn: (read: () => Promise<Buffer>) => Promise<Buffer> = turnPhoto,
): AsyncGenerator<Uint8Array> {
  const pieces = image[Symbol.asyncIterator]()
  try {
    const head: Uint8Array[] = []
    for (let size = 0; size < headBytes; ) {
      const next = await pieces.next()
      if (next.done) break
      head.push(next.value)
      size += next.value.length
    }
    const whole = joined(head, pieces)
    if (!mayBeTurned(Buffer.concat(head))) return yield* whole
    yield* cutBytes(await turn(() => gatherBytes(whole, largestImageBytes)))
  } finally {
    await pieces.return?.()
  }
}

async function* joined(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head
  yield* { [Symbol.asyncIterator]: () => rest }
}

const startOfJpeg = Buffer.from([0xff, 0xd8, 0xff])

/** Returns whether a JPEG may need turning; if its header is unclear, the decoder decides. */
const mayBeTurned = (head: Buffer) =>
  head.subarray(0, startOfJpeg.length).equals(startOfJpeg) && readJpegOrientation(head) !== 1

/**
 * Encodes a JPEG with its orientation applied, almost lossless and without colour subsampling. Returns undefined for one
 * that is upright already.
 */
export async function encodeUpright(photo: Sharp): Promise<Sharp | undefined> {
  const { orientation = 1 } = await photo.metadata()
  if (orientation === 1) return undefined
  return photo.keepIccProfile().jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
}

/** A broken image passes as it is. */
async function turnPhoto(read: () => Promise<Buffer>): Promise<Buffer> {
  const photo = await read()
  try {
    const encoded = await encodeUpright(openImage(photo))
    return encoded ? await encoded.toBuffer() : photo
  } catch {
    return photo
  }
}
