import type { FrameSource } from '@reticle/contracts/rest/media'
import { readJpegOrientation } from '@reticle/formats/image/jpeg-size'
import { headBytes } from '@reticle/formats/image/size'
import { cutBytes } from '@reticle/kit/pieces'
import { isUndecodable, readSource } from '../frames/source.ts'
import { largestImageBytes, openImage } from '../media/image.ts'
import { gather } from '../media/packed.ts'
import { type OperationDeps, UnusableInput } from '../operations/operation.ts'

/** Of the photographs that are turned: next to nothing is lost, and colours keep their place. */
const likeStored = { quality: 95, chromaSubsampling: '4:4:4' }

/** A member of an archive may be broken behind its head, which was all that was looked at when it was uploaded. */
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
 * A photograph that EXIF says to turn, turned: annotations go by how people see it, and many programs that train on them do not
 * read EXIF. Everything else, and what cannot be decoded, is handed on byte by byte.
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

/** What its head does not tell plainly, the decoder finds out. */
const isTurned = (head: Buffer) =>
  head.subarray(0, startOfJpeg.length).equals(startOfJpeg) && readJpegOrientation(head) !== 1

async function turned(bytes: Buffer): Promise<Buffer> {
  try {
    const image = openImage(bytes)
    const { orientation = 1 } = await image.metadata()
    return orientation === 1 ? bytes : await image.keepIccProfile().jpeg(likeStored).toBuffer()
  } catch {
    return bytes // whoever reads it will be told what is wrong with it
  }
}
