import sharp, { type Sharp } from 'sharp'

/** More is refused before anything is decoded (`reliability.md` 9). */
export const largestPixels = 178_956_970
/** An image file is decoded from memory. */
export const largestImageBytes = 512 * 1024 * 1024

// One thread an image and nothing kept: many conversions share the machine, and every image is met once.
sharp.concurrency(1)
sharp.cache(false)

/** An image to be decoded: the first page, upright, with the cap on pixels. */
export function openImage(bytes: Uint8Array): Sharp {
  return sharp(bytes, {
    limitInputPixels: largestPixels,
    failOn: 'truncated',
    sequentialRead: true,
    pages: 1,
  }).autoOrient()
}

/** Pixels of an image as people see it, EXIF orientation applied. Nothing is decoded. */
export async function imageSize(bytes: Uint8Array): Promise<{ width: number; height: number }> {
  const { autoOrient } = await sharp(bytes, { limitInputPixels: false }).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}
