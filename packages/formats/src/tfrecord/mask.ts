import { bitmapToCrop } from '@reticle/geometry'
import { FormatError, type Place } from '../errors.ts'
import { type Png, readPng } from '../image/png.ts'
import { readPngSize } from '../image/png-size.ts'

interface Size {
  width: number
  height: number
}

/**
 * The points of a mask that is a PNG: what is not black is of the object (spec/formats.md 15.2). Undefined where all of it is black.
 * @throws {FormatError} for what is no PNG, or of another size than the frame
 */
export async function maskPoints(
  bytes: Uint8Array,
  frame: Size,
  place: Place,
): Promise<number[] | undefined> {
  // A header is enough to refuse what would fill the memory.
  assertSize(readPngSize(bytes) ?? frame, frame, place)
  const png = await readPng(bytes, place)
  assertSize(png, frame, place)
  const { width, height } = png
  return bitmapToCrop({ left: 0, top: 0, width, height, bits: bitsOf(png) })
}

function assertSize({ width, height }: Size, frame: Size, place: Place): void {
  if (width === frame.width && height === frame.height) return
  const sizes = `mask of ${width} x ${height} pixels on a frame of ${frame.width} x ${frame.height}`
  throw new FormatError(sizes, place)
}

function bitsOf({ width, height, samples, palette }: Png): Uint8Array {
  const bits = new Uint8Array(width * height)
  const channels = samples.length / bits.length
  const colors = Math.min(3, channels)
  for (let at = 0; at < bits.length; at += 1)
    for (let color = 0; color < colors; color += 1) {
      const sample = samples[at * channels + color] ?? 0
      if ((palette ? palette[sample] : sample) !== 0) bits[at] = 1
    }
  return bits
}
