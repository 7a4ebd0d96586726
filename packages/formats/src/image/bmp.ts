/**
 * Decodes Windows and OS/2 bitmaps, because the image library does not: depths of 1, 2, 4, 8, 16, 24 and 32 bits, run
 * lengths of 4 and 8 bits, bit fields, bottom-up and top-down rows. Decoding terminates for any input: headers are
 * checked before memory is allocated, and pixels that are missing or outside are skipped.
 */
import { FormatError } from '../report/errors.ts'
import { type BmpHeader, readBmpHeader } from './bmp-header.ts'
import { drawRuns } from './bmp-runs.ts'

export { type BmpHeader, isBitmap, readBmpHeader } from './bmp-header.ts'

/** Pixels row by row from the top, three or four bytes each: red, green, blue and optionally alpha. */
export interface BmpPixels {
  width: number
  height: number
  channels: 3 | 4
  data: Uint8Array
}

/** Number of pixels to decode between two yields to the caller. */
const pixelsAtOnce = 4_000_000

/**
 * Decodes a bitmap in steps, so that the caller can run other work in between.
 * @param maxPixels A bitmap with more pixels is refused before memory is allocated.
 * @throws {FormatError} when the bytes are not a bitmap, its kind is unsupported, or pixel bytes are missing
 */
export function* decodeBmp(bytes: Uint8Array, maxPixels: number): Generator<undefined, BmpPixels> {
  const header = readBmpHeader(bytes)
  const { width, height } = header
  if (width * height > maxPixels)
    throw new FormatError(`${width} x ${height} pixels are too many, at most ${maxPixels}`)
  const channels = header.masks?.alpha ? 4 : 3
  if (!header.isPacked) assertLength(header, bytes)
  const data = new Uint8Array(width * height * channels)
  const indices = header.isPacked ? drawRuns(header, bytes) : undefined
  const rowOf = header.masks
    ? maskedRows(header, bytes, data)
    : rowsOf(header, bytes, data, indices)
  const rowsAtOnce = Math.max(1, Math.floor(pixelsAtOnce / width))
  for (let y = 0; y < height; y += 1) {
    rowOf(y)
    if (y % rowsAtOnce === rowsAtOnce - 1) yield
  }
  return { width, height, channels, data }
}

/** Returns the bytes of a row, padded to a multiple of four. */
const strideOf = ({ width, depth }: BmpHeader): number => Math.ceil((width * depth) / 32) * 4

function assertLength(header: BmpHeader, bytes: Uint8Array): void {
  const { height, start, depth, width } = header
  // The padding after the last row may be missing.
  const needed = start + strideOf(header) * (height - 1) + Math.ceil((width * depth) / 8)
  if (needed > bytes.length)
    throw new FormatError(`bitmap is cut off: it has ${bytes.length} of ${needed} bytes`)
}

type DrawRow = (y: number) => void

/** Returns the index in the file of row `y` from the top. */
const storedRow = ({ height, isTopDown }: BmpHeader, y: number): number =>
  isTopDown ? y : height - 1 - y

function rowsOf(
  header: BmpHeader,
  bytes: Uint8Array,
  data: Uint8Array,
  indices: Uint8Array | undefined,
): DrawRow {
  const { width, depth, start } = header
  const stride = strideOf(header)
  const from = (y: number): number => start + storedRow(header, y) * stride
  if (depth >= 24) return (y) => copyRow(bytes, from(y), data, y * width, width, depth / 8)
  const palette = paletteOf(header, bytes)
  if (indices)
    return (y) => {
      for (let x = 0, at = y * width; x < width; x += 1, at += 1)
        paint(data, at, palette, indices[at])
    }
  const perByte = 8 / depth
  const mask = (1 << depth) - 1
  return (y) => {
    const row = from(y)
    for (let x = 0; x < width; x += 1) {
      const byte = bytes[row + Math.floor(x / perByte)] ?? 0
      const shift = 8 - depth * ((x % perByte) + 1)
      paint(data, y * width + x, palette, (byte >> shift) & mask)
    }
  }
}

function copyRow(
  bytes: Uint8Array,
  from: number,
  data: Uint8Array,
  pixel: number,
  width: number,
  step: number,
): void {
  for (let x = 0, at = from, to = pixel * 3; x < width; x += 1, at += step, to += 3) {
    data[to] = bytes[at + 2] ?? 0
    data[to + 1] = bytes[at + 1] ?? 0
    data[to + 2] = bytes[at] ?? 0
  }
}

/** Writes one pixel. Colours missing from the palette are black. */
function paint(data: Uint8Array, pixel: number, palette: Uint8Array, index = 0): void {
  const to = pixel * 3
  const from = index * 3
  data[to] = palette[from] ?? 0
  data[to + 1] = palette[from + 1] ?? 0
  data[to + 2] = palette[from + 2] ?? 0
}

/** Returns red, green and blue of each colour. */
function paletteOf({ palette: { start, count, entryBytes } }: BmpHeader, bytes: Uint8Array) {
  const colours = new Uint8Array(count * 3)
  for (let index = 0; index < count; index += 1) {
    const from = start + index * entryBytes
    for (let part = 0; part < 3; part += 1) colours[index * 3 + part] = bytes[from + 2 - part] ?? 0
  }
  return colours
}

/** Returns a row decoder for pixels of 16 or 32 bits, in which masks define red, green, blue and alpha. */
function maskedRows(header: BmpHeader, bytes: Uint8Array, data: Uint8Array): DrawRow {
  const { width, depth, start, masks } = header
  const stride = strideOf(header)
  const size = depth / 8
  const { red = 0, green = 0, blue = 0, alpha = 0 } = masks ?? {}
  const parts = (alpha ? [red, green, blue, alpha] : [red, green, blue]).map(scaleOf)
  return (y) => {
    let at = start + storedRow(header, y) * stride
    let to = y * width * parts.length
    for (let x = 0; x < width; x += 1, at += size) {
      const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
      const value =
        size === 2 ? low : (low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0
      for (const scale of parts) data[to++] = scale(value)
    }
  }
}

/** Returns a function that scales the bits of a mask to a byte: all bits set is 255. */
function scaleOf(mask: number): (value: number) => number {
  if (mask === 0) return () => 0
  const shift = 31 - Math.clz32(mask & -mask)
  const largest = mask >>> shift
  if (largest === 255) return (value) => (value >>> shift) & 255
  return (value) => Math.round((((value & mask) >>> shift) * 255) / largest)
}
