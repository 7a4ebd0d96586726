/** Run lengths of bitmaps, decoded to one palette index per byte, row by row from the top. */
import type { BmpHeader } from './bmp-header.ts'

/** Position of the next pixel; rows are counted from the bottom. */
interface Pen {
  x: number
  y: number
  put: (index: number) => void
}

/**
 * Decodes runs to palette indexes. Skipped pixels are index 0, pixels outside the image are dropped, and missing
 * bytes end the image early.
 */
export function drawRuns(header: BmpHeader, bytes: Uint8Array): Uint8Array {
  const { width, height, depth, start } = header
  const indices = new Uint8Array(width * height)
  const pen = penOn(indices, header)
  const colour = depth === 8 ? (byte: number): number => byte : nibble
  for (let at = start; at + 1 < bytes.length && pen.y < height; ) {
    const count = bytes[at] ?? 0
    const value = bytes[at + 1] ?? 0
    at += 2
    if (count === 0 && value === endOfPicture) break
    if (count === 0) at += drawOther(value, at, { bytes, depth, pen })
    else for (let n = 0; n < count; n += 1) pen.put(colour(value, n))
  }
  return indices
}

function penOn(indices: Uint8Array, { width, height }: BmpHeader): Pen {
  const pen: Pen = {
    x: 0,
    y: 0,
    put: (index) => {
      const isInside = pen.x < width && pen.y < height
      if (isInside) indices[(height - 1 - pen.y) * width + pen.x] = index
      pen.x += 1
    },
  }
  return pen
}

const endOfRow = 0
const endOfPicture = 1
const jump = 2

/** Handles everything except runs, and returns the number of bytes consumed. */
function drawOther(
  value: number,
  at: number,
  { bytes, depth, pen }: { bytes: Uint8Array; depth: number; pen: Pen },
): number {
  if (value === endOfRow) {
    pen.x = 0
    pen.y += 1
    return 0
  }
  if (value === jump) {
    pen.x += bytes[at] ?? 0
    pen.y += bytes[at + 1] ?? 0
    return 2
  }
  const isByte = depth === 8
  for (let n = 0; n < value; n += 1) {
    const byte = bytes[at + (isByte ? n : n >> 1)] ?? 0
    pen.put(isByte ? byte : nibble(byte, n))
  }
  const length = isByte ? value : Math.ceil(value / 2)
  return length + (length % 2) // indexes are padded to whole pairs of bytes
}

/** Two palette indexes per byte, high half first. */
const nibble = (byte: number, n: number): number => (n % 2 === 0 ? byte >> 4 : byte & 15)
