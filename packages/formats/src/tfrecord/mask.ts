import { bitmapToCrop } from '@reticle/geometry'
import type { Place } from '../errors.ts'
import type { Size } from '../masks/instances.ts'
import { pixelValues, readMaskPicture } from '../masks/picture.ts'

/**
 * The points of a mask that is a PNG: what is not black is of the object (spec/formats.md 15.2). Undefined where all of it is black.
 * @throws {FormatError} for what is no PNG, or of another size than the frame
 */
export async function maskPoints(
  bytes: Uint8Array,
  frame: Size,
  place: Place,
): Promise<number[] | undefined> {
  const png = await readMaskPicture(bytes, frame, place)
  const valueAt = pixelValues(png)
  const { width, height } = png
  const bits = new Uint8Array(width * height)
  for (let at = 0; at < bits.length; at += 1) bits[at] = valueAt(at) === 0 ? 0 : 1
  return bitmapToCrop({ left: 0, top: 0, width, height, bits })
}
