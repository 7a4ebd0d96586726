import sharp from 'sharp'
import { isBitmap, readBmpHeader } from './bmp.ts'
import { type ImageSize, readJpegSize } from './jpeg-size.ts'
import { readPngSize } from './png-size.ts'

export type { ImageSize } from './jpeg-size.ts'

// Security: formats that start programs, reference other files or draw vectors are blocked, regardless of the file
// name.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((one) => `VipsForeignLoad${one}`),
})

/** Bytes from the start that contain the size of nearly every image, because EXIF data and profiles may precede it. */
export const headBytes = 128 * 1024

/**
 * Returns the displayed size of an image in pixels, with EXIF orientation applied. Pixels are not decoded, and most
 * images need no decoder.
 * @param bytes First bytes of the image.
 * @throws FormatError, or errors of the library, when the bytes do not contain the size
 */
export async function imageSize(bytes: Uint8Array): Promise<ImageSize> {
  const plain = readJpegSize(bytes) ?? readPngSize(bytes)
  if (plain) return plain
  if (isBitmap(bytes)) return readBmpHeader(bytes)
  const { autoOrient } = await sharp(bytes, { limitInputPixels: false }).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}
