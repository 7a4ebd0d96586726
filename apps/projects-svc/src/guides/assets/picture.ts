import { invalid } from '@reticle/kit/call/errors'
import sharp from 'sharp'

/**
 * Larger images are rejected before decoding. The limit is lower than that of conversions because an interlaced PNG
 * is decoded in one piece (500 MB at this size), and this process serves the calls of all users.
 */
const largestPixels = 50_000_000
/** Guides are read on a screen, so larger images are scaled down to this side (pixels). */
export const longestSide = 1920
const quality = 90
const timeoutSeconds = 20

// One thread per image and no cache: calls share the process, and each image is read once.
sharp.concurrency(1)
sharp.cache(false)

const shrinkable = new Set(['image/jpeg', 'image/png'])

/**
 * Returns the bytes of an image as they are stored. A JPEG or PNG with a side over `longestSide` is scaled down,
 * turned upright and stripped of camera metadata; any other file is returned unchanged.
 *
 * @throws DomainError invalid, naming `file`, when the image cannot be decoded as its declared type
 */
export async function fitPicture(bytes: Uint8Array, media_type: string): Promise<Uint8Array> {
  const image = sharp(bytes, {
    limitInputPixels: largestPixels,
    failOn: 'error',
    sequentialRead: true,
    pages: 1,
  })
  try {
    const { format, width, height } = await image.metadata()
    if (`image/${format}` !== media_type) throw new Error(`it is ${format}`)
    const isLarge = Math.max(width, height) > longestSide
    if (!isLarge || !shrinkable.has(media_type)) return bytes
    const small = image
      .autoOrient()
      .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
      .keepIccProfile()
      .timeout({ seconds: timeoutSeconds })
    return await (media_type === 'image/png' ? small.png() : small.jpeg({ quality })).toBuffer()
  } catch {
    throw invalid({
      file: `The file cannot be read as ${media_type}, or has more than ${largestPixels} pixels.`,
    })
  }
}
