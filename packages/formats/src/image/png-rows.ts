/** Decodes the rows of a PNG: reverses the filters and unpacks samples from bytes. */

export interface PngLayout {
  width: number
  height: number
  /** Bits per sample. */
  depth: number
  /** Colour type: 0 grey, 2 colours, 3 indexes, 4 grey with alpha, 6 colours with alpha. */
  color: number
  isInterlaced: boolean
}

/** Subset of the pixels, every `dx`-th and `dy`-th, stored as a separate image. */
interface Pass {
  x: number
  y: number
  dx: number
  dy: number
  width: number
  height: number
}

/** Passes of an interlaced image: first pixel and distance of pixels: x, y, dx, dy. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

const storedSamples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Returns the stored bits per pixel. */
const bitsOf = ({ depth, color }: PngLayout): number => depth * (storedSamples[color] ?? 1)

const rowBytes = (layout: PngLayout, { width }: Pass): number =>
  Math.ceil((width * bitsOf(layout)) / 8)

/** Returns the number of bytes of all rows, including their filter bytes. */
export const bytesOf = (layout: PngLayout): number =>
  passesOf(layout).reduce((sum, pass) => sum + pass.height * (1 + rowBytes(layout, pass)), 0)

function passesOf({ width, height, isInterlaced }: PngLayout): Pass[] {
  const starts = isInterlaced ? adam7 : [[0, 0, 1, 1] as const]
  const passes = starts.map(([x, y, dx, dy]) => {
    const size = { width: Math.ceil((width - x) / dx), height: Math.ceil((height - y) / dy) }
    return { x, y, dx, dy, ...size }
  })
  return passes.filter((pass) => pass.width > 0 && pass.height > 0)
}

/**
 * Unpacks the samples of all pixels (`Png.samples`).
 * @param rows Must have the length that `bytesOf` returns; it is modified.
 */
export function unpackPixels(
  rows: Uint8Array,
  layout: PngLayout,
  refuse: (reason: string) => Error,
): Uint8Array | Uint16Array {
  const { width, height, depth, color } = layout
  const perPixel = color === 4 ? 4 : (storedSamples[color] ?? 1)
  const count = width * height * perPixel
  const samples = color === 0 && depth === 16 ? new Uint16Array(count) : new Uint8Array(count)
  const pixelBytes = Math.max(1, bitsOf(layout) / 8)
  let at = 0
  for (const pass of passesOf(layout)) {
    const length = rowBytes(layout, pass)
    let above: Uint8Array = new Uint8Array(length)
    for (let row = 0; row < pass.height; row += 1) {
      const line = rows.subarray(at + 1, at + 1 + length)
      const undo = filters[rows[at] ?? 0]
      if (!undo) throw refuse(`row ${pass.y + row * pass.dy} has an unknown filter`)
      undo(line, above, pixelBytes)
      const first = ((pass.y + row * pass.dy) * width + pass.x) * perPixel
      unpackRow(line, { count: pass.width, first, step: pass.dx * perPixel }, layout, samples)
      above = line
      at += 1 + length
    }
  }
  return samples
}

// ---- filters (PNG, third edition, 9.2)

/** Neighbours of a byte: in the previous pixel (a), the row above (b), and the previous pixel of that row (c). */
type Undo = (line: Uint8Array, above: Uint8Array, pixelBytes: number) => void

const filters: readonly Undo[] = [
  () => {},
  (line, _, size) => {
    for (let at = size; at < line.length; at += 1)
      line[at] = (line[at] ?? 0) + (line[at - size] ?? 0)
  },
  (line, above) => {
    for (let at = 0; at < line.length; at += 1) line[at] = (line[at] ?? 0) + (above[at] ?? 0)
  },
  (line, above, size) => {
    for (let at = 0; at < line.length; at += 1) {
      const a = at < size ? 0 : (line[at - size] ?? 0)
      line[at] = (line[at] ?? 0) + ((a + (above[at] ?? 0)) >> 1)
    }
  },
  (line, above, size) => {
    for (let at = 0; at < line.length; at += 1) {
      const [a, c] = at < size ? [0, 0] : [line[at - size] ?? 0, above[at - size] ?? 0]
      line[at] = (line[at] ?? 0) + paeth(a, above[at] ?? 0, c)
    }
  },
]

/** Returns the one of the three that is nearest to a + b - c. */
function paeth(a: number, b: number, c: number): number {
  const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (toA <= toB && toA <= toC) return a
  return toB <= toC ? b : c
}

// ---- samples

/** Pixels of a row, and the position of their first sample. */
interface Run {
  count: number
  first: number
  step: number
}

function unpackRow(
  line: Uint8Array,
  run: Run,
  { depth, color }: PngLayout,
  samples: Uint8Array | Uint16Array,
): void {
  if (depth < 8) unpackBits(line, run, depth, samples)
  else if (color === 4) unpackGreyAlpha(line, run, depth / 8, samples)
  else if (color === 0 && depth === 16) unpackWords(line, run, samples)
  else unpackBytes(line, run, { stored: storedSamples[color] ?? 1, bytes: depth / 8 }, samples)
}

/** Unpacks whole bytes; for samples of two bytes the first one. */
function unpackBytes(
  line: Uint8Array,
  { count, first, step }: Run,
  { stored, bytes }: { stored: number; bytes: number },
  samples: Uint8Array | Uint16Array,
): void {
  if (bytes === 1 && step === stored) {
    samples.set(line, first)
    return
  }
  for (let pixel = 0, at = 0, to = first; pixel < count; pixel += 1, to += step)
    for (let one = 0; one < stored; one += 1, at += bytes) samples[to + one] = line[at] ?? 0
}

function unpackWords(
  line: Uint8Array,
  { count, first, step }: Run,
  samples: Uint8Array | Uint16Array,
): void {
  for (let pixel = 0, to = first; pixel < count; pixel += 1, to += step)
    samples[to] = ((line[2 * pixel] ?? 0) << 8) | (line[2 * pixel + 1] ?? 0)
}

function unpackGreyAlpha(
  line: Uint8Array,
  { count, first, step }: Run,
  bytes: number,
  samples: Uint8Array | Uint16Array,
): void {
  for (let pixel = 0, at = 0, to = first; pixel < count; pixel += 1, at += 2 * bytes, to += step) {
    samples.fill(line[at] ?? 0, to, to + 3)
    samples[to + 3] = line[at + bytes] ?? 0
  }
}

/** Unpacks several pixels per byte, the first in the high bits. */
function unpackBits(
  line: Uint8Array,
  { count, first, step }: Run,
  depth: number,
  samples: Uint8Array | Uint16Array,
): void {
  const mask = (1 << depth) - 1
  for (let pixel = 0, to = first; pixel < count; pixel += 1, to += step) {
    const bit = pixel * depth
    samples[to] = ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & mask
  }
}
