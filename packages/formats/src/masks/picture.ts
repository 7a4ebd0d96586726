/** Reads mask images, checks their size against the frame, and returns their pixel values. */

import { type Png, readPng } from '../image/png.ts'
import { readPngSize } from '../image/png-size.ts'
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import type { RasterSize } from './instances.ts'
import type { PixelValue } from './regions.ts'

/**
 * Decodes a mask image.
 * @param frame Size of the frame; when absent, any size is accepted.
 * @throws {FormatError} when the bytes are not a PNG, or have another size than the frame
 */
export async function readMaskPicture(
  bytes: Uint8Array,
  frame: RasterSize | undefined,
  location: ErrorLocation,
): Promise<Png> {
  // The header suffices to refuse an image that would exhaust the memory.
  if (frame) assertSize(readPngSize(bytes) ?? frame, frame, location)
  const png = await readPng(bytes, location)
  if (frame) assertSize(png, frame, location)
  return png
}

function assertSize(
  { width, height }: RasterSize,
  frame: RasterSize,
  location: ErrorLocation,
): void {
  if (width === frame.width && height === frame.height) return
  const sizes = `mask of ${width} x ${height} pixels on a frame of ${frame.width} x ${frame.height}`
  throw new FormatError(sizes, location)
}

/** Returns the colour of each pixel as 0xRRGGBB for any kind of image; for a grey image the sample itself. */
export function pixelValues({ kind, samples, palette }: Png): PixelValue {
  if (palette) return (at) => palette[samples[at] ?? 0] ?? 0
  if (kind === 'grey') return (at) => samples[at] ?? 0
  const channels = kind === 'rgb' ? 3 : 4
  return (at) => {
    const from = at * channels
    return ((samples[from] ?? 0) << 16) | ((samples[from + 1] ?? 0) << 8) | (samples[from + 2] ?? 0)
  }
}
