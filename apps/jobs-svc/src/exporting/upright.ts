import type { FrameSource } from '@reticle/contracts/rest/media'
import { readJpegOrientation } from '@reticle/formats/image/jpeg-size'
import { headBytes } from '@reticle/formats/image/size'
import { cutBytes } from '@reticle/kit/pieces'
import { isUndecodable, readSource } from '../frames/source.ts'
import { largestImageBytes, openImage } from '../media/image.ts'
import { gather } from '../media/packed.ts'
import { type OperationDeps, UnusableInput } from '../operations/operation.ts'

/** Encoding of turned photographs: almost lossless, without colour subsampling. */
const likeStored = { quality: 95, chromaSubsampling: '4:4:4' }

/**
 * Reads a picture upright. A member of an archive may be broken after its header, which is all that the upload checks.
 */
export async function* readUpright(
  blobs: OperationDeps['blobs'],
  source: FrameSource,
): AsyncGenerator<Uint8Array> {
  try {
    yield* upright(readSource(blobs, source))
  } catch (thrown) {
    throw isUndecodable(thrown)
      ? new UnusableInput(`${source.name}: the image cannot be unpacked, or is no image`)
      : thrown
  }
}

/**
 * Turns a photograph as its EXIF orientation states: annotations refer to the displayed picture, and many training
 * programs ignore EXIF. Other files and undecodable ones are passed on unchanged.
 */
export async function* upright(image: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
    if (!isTurned(Buffer.concat(head))) return yield* whole
    yield* cutBytes(await turned(await gather(whole, largestImageBytes)))
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
const isTurned = (head: Buffer) =>
  head.subarray(0, startOfJpeg.length).equals(startOfJpeg) && readJpegOrientation(head) !== 1

async function turned(bytes: Buffer): Promise<Buffer> {
  try {
    const image = openImage(bytes)
    const { orientation = 1 } = await image.metadata()
    return orientation === 1 ? bytes : await image.keepIccProfile().jpeg(likeStored).toBuffer()
  } catch {
    return bytes // the reader will find the fault
  }
}
