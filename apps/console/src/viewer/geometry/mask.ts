/** Mask: pixels of a box in the picture as alternating runs outside and inside, row by row. */
export interface Mask {
  left: number
  top: number
  width: number
  height: number
  /** Run lengths; the first is outside, and 0 if the first pixel is inside. */
  runs: readonly number[]
}

/** Parses run lengths followed by left, top, right and bottom, of which the last two are inclusive. */
export function parseMask(points: readonly number[]): Mask {
  const [left = 0, top = 0, right = -1, bottom = -1] = points.slice(-4)
  return { left, top, width: right - left + 1, height: bottom - top + 1, runs: points.slice(0, -4) }
}

/** Yields ranges of inside pixels, counted from the first pixel of the box: begin, and exclusive end. */
export function* stretchesOf({ runs }: Mask): Generator<readonly [number, number]> {
  let at = 0
  for (const [index, length] of runs.entries()) {
    if (index % 2 === 1 && length > 0) yield [at, at + length]
    at += length
  }
}

/** Returns whether the pixel at a picture point is inside. */
export function isInMask(mask: Mask, x: number, y: number): boolean {
  const column = Math.floor(x) - mask.left
  const row = Math.floor(y) - mask.top
  if (column < 0 || row < 0 || column >= mask.width || row >= mask.height) return false
  const pixel = row * mask.width + column
  for (const [begin, end] of stretchesOf(mask)) if (pixel < end) return pixel >= begin
  return false
}

/** Part of a picture with one number per pixel. */
export interface PixelArea {
  left: number
  top: number
  width: number
  height: number
  data: Uint32Array<ArrayBuffer>
}

/** Creates pixels for the common box of the masks; undefined if it is empty. */
export function pixelsFor(masks: readonly Mask[]): PixelArea | undefined {
  const left = leastOf(masks, (mask) => mask.left)
  const top = leastOf(masks, (mask) => mask.top)
  const width = -leastOf(masks, (mask) => -(mask.left + mask.width)) - left
  const height = -leastOf(masks, (mask) => -(mask.top + mask.height)) - top
  if (!(width > 0 && height > 0 && Number.isFinite(width * height))) return undefined
  return { left, top, width, height, data: new Uint32Array(width * height) }
}

const leastOf = (masks: readonly Mask[], of: (mask: Mask) => number) =>
  masks.reduce((found, mask) => Math.min(found, of(mask)), Number.POSITIVE_INFINITY)

/** Sets the pixels of a mask to a colour. */
export function paintMask(pixels: PixelArea, mask: Mask, colour: number): void {
  const corner = (mask.top - pixels.top) * pixels.width + mask.left - pixels.left
  for (const [begin, end] of stretchesOf(mask)) {
    for (let at = begin; at < end; ) {
      const row = Math.floor(at / mask.width)
      const rowEnd = Math.min(end, (row + 1) * mask.width)
      const shift = corner + row * (pixels.width - mask.width)
      pixels.data.fill(colour, at + shift, rowEnd + shift)
      at = rowEnd
    }
  }
}
