import { bitmapToCrop } from '@reticle/geometry'
import type { ErrorLocation } from '../errors.ts'
import type { RasterSize } from '../masks/instances.ts'
import { pixelValues, readMaskPicture } from '../masks/picture.ts'

/**
 * Returns the points of a mask from a PNG, whose pixels other than black belong to the object. Undefined when all
 * pixels are black.
 * @throws {FormatError} when the bytes are not a PNG, or have another size than the frame
 */
export async function maskPoints(
  bytes: Uint8Array,
  frame: RasterSize,
  location: ErrorLocation,
): Promise<number[] | undefined> {
  const png = await readMaskPicture(bytes, frame, location)
  const valueAt = pixelValues(png)
  const { width, height } = png
  const bits = new Uint8Array(width * height)
  for (let at = 0; at < bits.length; at += 1) bits[at] = valueAt(at) === 0 ? 0 : 1
  return bitmapToCrop({ left: 0, top: 0, width, height, bits })
}
