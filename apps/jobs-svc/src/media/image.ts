import { setImmediate as othersFirst } from 'node:timers/promises'
import { type BmpPixels, decodeBmp, isBitmap, readBmpHeader } from '@reticle/formats/image/bmp'
import '@reticle/formats/image/size' // restricts the decoders of the image library
import sharp, { type Sharp } from 'sharp'
import { mayBeDeep, withUsedRange } from './used-range.ts'

/** Limit of pixels, checked before decoding. */
export const largestPixels = 178_956_970
/** Limit of bytes, because an image file is decoded from memory. */
export const largestImageBytes = 512 * 1024 * 1024

// One thread per image and no cache: many conversions share the machine, and every image is read once.
sharp.concurrency(1)
sharp.cache(false)

/**
 * Opens an image for decoding: the first page, upright, with the limit of pixels.
 *
 * @throws FormatError for an undecodable bitmap; other formats fail while decoding
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

/** Time limit of one image in seconds. */
export const longestSeconds = 20

/**
 * Opens an image for display: more than eight bits per channel are stretched from the range of values that they use.
 */
export async function openShownImage(bytes: Uint8Array, seconds = longestSeconds): Promise<Sharp> {
  if (!mayBeDeep(bytes)) return openImage(bytes)
  return withUsedRange(() => openImage(bytes), seconds)
}

/**
 * Encodes a JPEG with the standard code tables: optimized ones need the whole picture in memory (9 bytes per pixel),
 * take half as long again and save at most a tenth of the bytes.
 *
 * @param quality 1 to 100, default 80
 */
export const toJpeg = (image: Sharp, quality?: number): Sharp =>
  image.jpeg({ quality, optimiseCoding: false })

/** Opens a bitmap, which the library does not support. All faults of a bitmap are found in the first step. */
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

/** Decodes a bitmap. A large one takes seconds, so it yields to the event loop between steps. */
async function decoded(
  decoding: ReturnType<typeof decodeBmp>,
  first: IteratorResult<undefined, BmpPixels>,
): Promise<BmpPixels> {
  let step = first
  while (!step.done) {
    await othersFirst()
    step = decoding.next()
  }
  return step.value
}
