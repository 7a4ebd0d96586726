import sharp from 'sharp'
import { isBitmap, readBmpHeader } from './bmp.ts'
import { readJpegSize, type Size } from './jpeg-size.ts'
import { readPngSize } from './png-size.ts'

export type { Size } from './jpeg-size.ts'

// Formats that run programs, name other files or draw are decoded by nobody, whatever a file pretends to be (`reliability.md` 9).
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((one) => `VipsForeignLoad${one}`),
})

/** Bytes that tell the size of nearly every image; EXIF data and profiles stand before it. */
export const headBytes = 128 * 1024

/**
 * Pixels of an image as people see it, EXIF orientation applied. Nothing is decoded, and for most no decoder is asked.
 *
 * @param bytes of its beginning, which mostly suffice
 * @throws FormatError, and errors of the library, for what they do not tell
 */
export async function imageSize(bytes: Uint8Array): Promise<Size> {
  const plain = readJpegSize(bytes) ?? readPngSize(bytes)
  if (plain) return plain
  if (isBitmap(bytes)) return readBmpHeader(bytes)
  const { autoOrient } = await sharp(bytes, { limitInputPixels: false }).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}
