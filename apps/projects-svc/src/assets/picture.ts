import { invalid } from '@reticle/kit/errors'
import sharp from 'sharp'

/**
 * More is refused before anything is decoded (`reliability.md` 9). Conversions may have more: a PNG that fills in line by
 * line is decoded whole, half a gigabyte at this size, and this process answers everybody's calls.
 */
const largestPixels = 50_000_000
/** A picture of a guide is shown on a screen (`spec/api-workspace.md` 5.4). */
export const longestSide = 1920
const quality = 90
const timeoutSeconds = 20

// One thread a picture and nothing kept: calls share the process, and every picture is met once.
sharp.concurrency(1)
sharp.cache(false)

const shrinkable = new Set(['image/jpeg', 'image/png'])

/**
 * A picture as it is kept: a JPEG or PNG with a longer side than `longestSide` is made smaller, upright and without what
 * cameras write into it; everything else stays as it is.
 *
 * @throws DomainError invalid, naming `file`, for one that cannot be read as what it is said to be
 */
export async function fitted(bytes: Uint8Array, media_type: string): Promise<Uint8Array> {
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
