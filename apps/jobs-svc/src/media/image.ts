import { setImmediate as othersFirst } from 'node:timers/promises'
import { decodeBmp, isBitmap, type Pixels, readBmpHeader } from '@reticle/formats/image/bmp'
import '@reticle/formats/image/size' // says which decoders may be used
import sharp, { type Sharp } from 'sharp'
import { mayBeDeep, withUsedRange } from './used-range.ts'

/** More is refused before anything is decoded (`reliability.md` 9). */
export const largestPixels = 178_956_970
/** An image file is decoded from memory. */
export const largestImageBytes = 512 * 1024 * 1024

// One thread an image and nothing kept: many conversions share the machine, and every image is met once.
sharp.concurrency(1)
sharp.cache(false)

/**
 * An image to be decoded: the first page, upright, with the cap on pixels.
 *
 * @throws FormatError for a bitmap that cannot be; of others it is found out later
 */
export function openImage(bytes: Uint8Array): Sharp {
  if (isBitmap(bytes)) return openBitmap(bytes)
  return sharp(bytes, {
    limitInputPixels: largestPixels,
    failOn: 'truncated',
    sequentialRead: true,
    pages: 1,
  }).autoOrient()
}

/** Seconds that one image may take. */
export const longestSeconds = 20

/** Opens an image for display: one of more than eight bits a channel with the range of values that it uses. */
export async function openShownImage(bytes: Uint8Array, seconds = longestSeconds): Promise<Sharp> {
  if (!mayBeDeep(bytes)) return openImage(bytes)
  return withUsedRange(() => openImage(bytes), seconds)
}

/**
 * With the usual tables of codes: those fitted to a picture keep all of it in memory (9 bytes a pixel), take half as long again and
 * save a tenth of the bytes at most.
 *
 * @param quality of 1 to 100; 80 where nobody says
 */
export const toJpeg = (image: Sharp, quality?: number): Sharp =>
  image.jpeg({ quality, optimiseCoding: false })

/** The library does not read them. What can be wrong with one is found before the first step ends. */
function openBitmap(bytes: Uint8Array): Sharp {
  const { width, height, masks } = readBmpHeader(bytes)
  const decoding = decodeBmp(bytes, largestPixels)
  const first = decoding.next()
  const image = sharp({
    raw: { width, height, channels: masks?.alpha ? 4 : 3 },
    limitInputPixels: largestPixels,
    sequentialRead: true,
  })
  decoded(decoding, first).then(
    ({ data }) => image.end(data),
    (thrown) => image.destroy(thrown),
  )
  return image
}

/** A large one takes seconds: others have their turn in between. */
async function decoded(
  decoding: ReturnType<typeof decodeBmp>,
  first: IteratorResult<undefined, Pixels>,
): Promise<Pixels> {
  let step = first
  while (!step.done) {
    await othersFirst()
    step = decoding.next()
  }
  return step.value
}
