/**
 * Masks as run lengths (`docs/spec/formats.md#run-lengths`).
 *
 * - **crop**: the stored form; row-major runs inside a tight box, then left, top, right, bottom with inclusive
 *   bounds. The first run is background and may be 0.
 * - **column runs**: COCO's uncompressed form; column-major runs over the whole image, background first.
 * - **text**: COCO's compressed form of column runs.
 */

/** Mask as one byte (0 or 1) per pixel of its box, row-major. */
export interface Bitmap {
  left: number
  top: number
  width: number
  height: number
  bits: Uint8Array
}

/** x, y, width, height in pixels. */
export type PixelBox = [x: number, y: number, width: number, height: number]

/** Converts a crop to the bitmap of its box. */
export function cropToBitmap(points: readonly number[]): Bitmap {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-4)
  const width = right - left + 1
  const height = bottom - top + 1
  const bits = new Uint8Array(width * height)
  let at = 0
  for (let index = 0; index < points.length - 4; index += 1) {
    const run = points[index] ?? 0
    if (index % 2 === 1) bits.fill(1, at, at + run)
    at += run
  }
  return { left, top, width, height, bits }
}

/** Converts a bitmap to a crop, cut to the box of its set pixels; undefined when none is set. */
export function bitmapToCrop(bitmap: Bitmap): number[] | undefined {
  const box = boxOfBits(bitmap)
  if (!box) return undefined
  const [x, y, width, height] = box
  const bits = new Uint8Array(width * height)
  for (let row = 0; row < height; row += 1) {
    const from = (y + row) * bitmap.width + x
    bits.set(bitmap.bits.subarray(from, from + width), row * width)
  }
  return tightCrop({ left: bitmap.left + x, top: bitmap.top + y, width, height, bits })
}

/** Converts a bitmap that has set pixels on each of its sides. */
function tightCrop({ left, top, width, height, bits }: Bitmap): number[] {
  const points: number[] = []
  let value = 0
  let from = 0
  for (let at = 0; at < bits.length; at += 1) {
    if (bits[at] === value) continue
    points.push(at - from)
    from = at
    value ^= 1
  }
  points.push(bits.length - from, left, top, left + width - 1, top + height - 1)
  return points
}

/** Returns the number of set pixels of a crop. */
export function cropArea(points: readonly number[]): number {
  let area = 0
  for (let index = 1; index < points.length - 4; index += 2) area += points[index] ?? 0
  return area
}

/** Converts a crop to column runs of a `width` x `height` image; pixels outside the image are cut off. */
export function cropToColumns(points: readonly number[], width: number, height: number): number[] {
  const spans = rowSpans(points, width, height)
  const box = boxOfSpans(spans)
  if (!box) return [width * height]
  const [, left] = box
  const flips = flipsAcross(spans, box, { first: left * height, stride: height })
  return flipsToRuns(flips, width * height)
}

/** Converts a bitmap to column runs of the image; pixels outside the image are cut off. Reads only the box. */
export function bitmapToColumns(bitmap: Bitmap, width: number, height: number): number[] {
  const { left, top, bits } = bitmap
  const [firstColumn, firstRow] = [Math.max(0, -left), Math.max(0, -top)]
  const columns = Math.min(bitmap.width, width - left)
  const rows = Math.min(bitmap.height, height - top)
  const runs: number[] = []
  let value = 0
  let last = 0
  const flip = (position: number): void => {
    runs.push(position - last)
    last = position
    value ^= 1
  }
  for (let column = firstColumn; column < columns; column += 1) {
    const base = (left + column) * height + top
    for (let row = firstRow; row < rows; row += 1) {
      if (bits[row * bitmap.width + column] !== value) flip(base + row)
    }
    if (value === 1 && rows - firstRow < height) flip(base + rows)
  }
  const end = (left + columns) * height
  if (value === 1 && end < width * height) flip(end)
  if (last < width * height) runs.push(width * height - last)
  return runs
}

/**
 * Converts column runs to a crop; undefined when no pixel is set. Short runs are padded with background.
 *
 * @throws {RangeError} when the runs have more pixels than the image.
 */
export function columnsToCrop(
  runs: readonly number[],
  width: number,
  height: number,
): number[] | undefined {
  const total = runs.reduce((sum, run) => sum + run, 0)
  if (total > width * height) {
    throw new RangeError(`runs sum to ${total}, the image has ${width} x ${height} pixels`)
  }
  const spans = columnSpans(runs, height)
  const box = boxOfSpans(spans)
  if (!box) return undefined
  const [left, top, boxWidth, boxHeight] = box
  const points: number[] = []
  let last = 0
  const across = { first: -left, stride: boxWidth }
  for (const at of flipsAcross(spans, box, across)) {
    points.push(at - last)
    last = at
  }
  const end = boxWidth * boxHeight
  if (last < end) points.push(end - last)
  points.push(left, top, left + boxWidth - 1, top + boxHeight - 1)
  return points
}

// Spans are stored as triples in one list, for speed: line (a column or a row), first set pixel, and the pixel after
// the last.

function columnSpans(runs: readonly number[], height: number): number[] {
  const spans: number[] = []
  let at = 0
  for (let index = 0; index < runs.length; index += 1) {
    const end = at + (runs[index] ?? 0)
    for (let from = at; index % 2 === 1 && from < end; ) {
      const column = Math.floor(from / height)
      const to = Math.min(end, (column + 1) * height)
      spans.push(column, from - column * height, to - column * height)
      from = to
    }
    at = end
  }
  return spans
}

/** Returns the spans of a crop inside the image. */
function rowSpans(points: readonly number[], width: number, height: number): number[] {
  const [left = 0, top = 0, right = 0] = points.slice(-4)
  const spans: number[] = []
  // Rows of a crop relate to its width as columns of an image to its height.
  const own = columnSpans(points.slice(0, -4), right - left + 1)
  for (let at = 0; at < own.length; at += 3) {
    const row = (own[at] ?? 0) + top
    const from = Math.max(0, (own[at + 1] ?? 0) + left)
    const to = Math.min(width, (own[at + 2] ?? 0) + left)
    if (row >= 0 && row < height && from < to) spans.push(row, from, to)
  }
  return spans
}

/** Returns first line and first pixel of a line, number of lines, and number of pixels of a line. */
function boxOfSpans(spans: readonly number[]): PixelBox | undefined {
  let low = Infinity
  let high = 0
  for (let at = 0; at < spans.length; at += 3) {
    low = Math.min(low, spans[at + 1] ?? 0)
    high = Math.max(high, spans[at + 2] ?? 0)
  }
  const first = spans[0] ?? 0
  const last = spans[spans.length - 3] ?? 0
  return spans.length === 0 ? undefined : [first, low, last - first + 1, high - low]
}

/**
 * Returns the positions of value changes when a mask is read across its spans: column spans row by row, row spans
 * column by column. The cost depends on the edges of the mask, not its pixels.
 *
 * @param place Pixel p of line l has the position `first + (p - low) * stride + l`, where `low` is the first pixel of
 * the box.
 */
function flipsAcross(
  spans: readonly number[],
  [firstLine, low, lines, pixels]: PixelBox,
  { first, stride }: { first: number; stride: number },
): number[] {
  const flips: Flips = { pixels: [], lines: [] }
  let before: Range = { from: 0, to: 0 }
  for (let line = firstLine; line <= firstLine + lines; line += 1) {
    const own = spansOf(line, spans, before.to)
    if (!isAlike(spans, own, before)) flipChanged(spans, own, before, { flips, low, line })
    before = own
  }
  const positions: number[] = []
  let last = -1
  for (const flip of byPixel(flips.pixels, pixels)) {
    const at = first + (flips.pixels[flip] ?? 0) * stride + (flips.lines[flip] ?? 0)
    // A change at the end of one line and the start of the next cancels out.
    if (last === at) positions.pop()
    else positions.push(at)
    last = at
  }
  return positions
}

/** Pixels at which the value changes from the previous line, line by line. */
interface Flips {
  pixels: number[]
  lines: number[]
}

/** Returns the order of changes by pixel, stable within a pixel. */
function byPixel(given: readonly number[], pixels: number): number[] {
  // Typed arrays of this size take longer to allocate than to fill.
  const starts = new Array<number>(pixels + 1).fill(0)
  for (const pixel of given) starts[pixel + 1] = (starts[pixel + 1] ?? 0) + 1
  for (let pixel = 1; pixel <= pixels; pixel += 1)
    starts[pixel] = (starts[pixel] ?? 0) + (starts[pixel - 1] ?? 0)
  const order = new Array<number>(given.length).fill(0)
  for (let flip = 0; flip < given.length; flip += 1) {
    const pixel = given[flip] ?? 0
    const slot = starts[pixel] ?? 0
    order[slot] = flip
    starts[pixel] = slot + 1
  }
  return order
}

/** Range of spans of one line in the list of all; `to` is exclusive. */
interface Range {
  from: number
  to: number
}

function spansOf(line: number, spans: readonly number[], from: number): Range {
  let to = from
  while (spans[to] === line) to += 3
  return { from, to }
}

/** Returns whether two lines have the same spans, as most neighbours do. */
function isAlike(spans: readonly number[], one: Range, other: Range): boolean {
  if (one.to - one.from !== other.to - other.from) return false
  const back = one.from - other.from
  for (let at = one.from + 1; at < one.to; at += 3)
    if (spans[at] !== spans[at - back] || spans[at + 1] !== spans[at + 1 - back]) return false
  return true
}

/** Records the pixels that are set in only one of a line and the previous line. */
function flipChanged(
  spans: readonly number[],
  own: Range,
  before: Range,
  { flips, low, line }: { flips: Flips; low: number; line: number },
): void {
  let [mine, theirs] = [own.from + 1, before.from + 1]
  let from = -1
  while (mine < own.to || theirs < before.to) {
    const one = mine < own.to ? (spans[mine] ?? 0) : Infinity
    const other = theirs < before.to ? (spans[theirs] ?? 0) : Infinity
    if (one <= other) mine = nextBorder(mine)
    else theirs = nextBorder(theirs)
    const border = Math.min(one, other) - low
    for (let at = from; at >= 0 && at < border; at += 1) {
      flips.pixels.push(at)
      flips.lines.push(line)
    }
    from = from < 0 ? border : -1
  }
}

/** Returns the next border of spans: from a start to its end, or from an end to the next start. */
const nextBorder = (at: number): number => (at % 3 === 1 ? at + 1 : at + 2)

/** Returns the number of set pixels of column runs. */
export function columnsArea(runs: readonly number[]): number {
  let area = 0
  for (let index = 1; index < runs.length; index += 2) area += runs[index] ?? 0
  return area
}

/** Returns the box of the set pixels; undefined when there are none. */
export const columnsBox = (runs: readonly number[], height: number): PixelBox | undefined =>
  boxOfSpans(columnSpans(runs, height))

/** Returns the union of masks of one image with `size` pixels. */
export function unionOfColumns(masks: readonly (readonly number[])[], size: number): number[] {
  if (masks.length === 1) return [...(masks[0] ?? [])]
  const borders = masks.flatMap((runs) =>
    [...setRuns(runs)].flatMap(([from, to]) => [
      { at: from, change: 1 },
      { at: to, change: -1 },
    ]),
  )
  borders.sort((a, b) => a.at - b.at || b.change - a.change)
  const flips: number[] = []
  let depth = 0
  for (const { at, change } of borders) {
    if (depth === 0 || depth + change === 0) flips.push(at)
    depth += change
  }
  return flipsToRuns(flips, size)
}

/** Converts ascending positions of value changes to column runs. */
export function flipsToRuns(flips: readonly number[], size: number): number[] {
  const runs: number[] = []
  let last = 0
  for (const at of flips) {
    runs.push(at - last)
    last = at
  }
  if (last < size) runs.push(size - last)
  return runs
}

/** Encodes column runs as COCO's compressed text. */
export function encodeRuns(runs: readonly number[]): string {
  let text = ''
  runs.forEach((run, index) => {
    let rest = index > 2 ? run - (runs[index - 2] ?? 0) : run
    for (;;) {
      const group = rest & 31
      rest >>= 5
      const isLast = (group & 16) === 0 ? rest === 0 : rest === -1
      text += String.fromCharCode(48 + (isLast ? group : group | 32))
      if (isLast) return
    }
  })
  return text
}

/**
 * Decodes COCO's compressed text to column runs.
 *
 * @throws {RangeError} when the text has an invalid character, or ends inside a run.
 */
export function decodeRuns(text: string): number[] {
  const runs: number[] = []
  let value = 0
  let shift = 0
  for (let at = 0; at < text.length; at += 1) {
    const group = text.charCodeAt(at) - 48
    if (group < 0 || group > 63 || shift > 30) {
      throw new RangeError(`run lengths have a wrong character at ${at}`)
    }
    value |= (group & 31) << shift
    shift += 5
    if ((group & 32) !== 0) continue
    if ((group & 16) !== 0 && shift < 32) value |= -1 << shift
    runs.push(runs.length > 2 ? value + (runs[runs.length - 2] ?? 0) : value)
    value = 0
    shift = 0
  }
  if (shift > 0) throw new RangeError('run lengths end inside a number')
  return runs
}

function* setRuns(runs: readonly number[]): Generator<[from: number, to: number]> {
  let at = 0
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index] ?? 0
    if (index % 2 === 1 && run > 0) yield [at, at + run]
    at += run
  }
}

function boxOfBits({ width, height, bits }: Bitmap): PixelBox | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let row = 0; row < height; row += 1) {
    const line = bits.subarray(row * width, (row + 1) * width)
    const first = line.indexOf(1)
    if (first < 0) continue
    left = Math.min(left, first)
    right = Math.max(right, line.lastIndexOf(1))
    top = Math.min(top, row)
    bottom = row
  }
  return right < 0 ? undefined : [left, top, right - left + 1, bottom - top + 1]
}
