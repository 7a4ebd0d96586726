/**
 * Decodes Windows and OS/2 bitmaps (reliability.md 9: BMP has a decoder of our own). Depths of 1, 2, 4, 8, 16, 24 and 32 bits,
 * run lengths of 4 and 8 bits, bit fields, rows from below or from above. Whatever the bytes are, it ends: headers are checked
 * before anything is allocated, and pixels that are missing or lie outside are left as they are.
 */
import { FormatError } from '../errors.ts'
import { type BmpHeader, readBmpHeader } from './bmp-header.ts'
import { drawRuns } from './bmp-runs.ts'

export { type BmpHeader, isBitmap, readBmpHeader } from './bmp-header.ts'

/** Pixels row by row from above, three or four bytes each: red, green, blue and, where there is one, alpha. */
export interface Pixels {
  width: number
  height: number
  channels: 3 | 4
  data: Uint8Array
}

/** Rows that are decoded between two looks at the clock of whoever called. */
const pixelsAtOnce = 4_000_000

/**
 * Decodes a bitmap in steps, between which others may work.
 * @param maxPixels More are refused before anything is allocated.
 * @throws {FormatError} for what is no bitmap, is of a kind that is not supported, or has fewer bytes than its pixels take
 */
export function* decodeBmp(bytes: Uint8Array, maxPixels: number): Generator<undefined, Pixels> {
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

/** Rows are padded to four bytes. */
const strideOf = ({ width, depth }: BmpHeader): number => Math.ceil((width * depth) / 32) * 4

function assertLength(header: BmpHeader, bytes: Uint8Array): void {
  const { height, start, depth, width } = header
  // The padding behind the last row may be missing.
  const needed = start + strideOf(header) * (height - 1) + Math.ceil((width * depth) / 8)
  if (needed > bytes.length)
    throw new FormatError(`bitmap is cut off: it has ${bytes.length} of ${needed} bytes`)
}

type DrawRow = (y: number) => void

/** The row of the file that is row `y` from above. */
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

/** Colours that the palette lacks are black. */
function paint(data: Uint8Array, pixel: number, palette: Uint8Array, index = 0): void {
  const to = pixel * 3
  const from = index * 3
  data[to] = palette[from] ?? 0
  data[to + 1] = palette[from + 1] ?? 0
  data[to + 2] = palette[from + 2] ?? 0
}

/** Red, green and blue of each colour. */
function paletteOf({ palette: { start, count, entryBytes } }: BmpHeader, bytes: Uint8Array) {
  const colours = new Uint8Array(count * 3)
  for (let index = 0; index < count; index += 1) {
    const from = start + index * entryBytes
    for (let part = 0; part < 3; part += 1) colours[index * 3 + part] = bytes[from + 2 - part] ?? 0
  }
  return colours
}

/** Pixels of 16 or 32 bits, of which masks say what is red, green, blue and alpha. */
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

/** From the bits of a mask to a byte: all bits set is 255. */
function scaleOf(mask: number): (value: number) => number {
  if (mask === 0) return () => 0
  const shift = 31 - Math.clz32(mask & -mask)
  const largest = mask >>> shift
  if (largest === 255) return (value) => (value >>> shift) & 255
  return (value) => Math.round((((value & mask) >>> shift) * 255) / largest)
}
