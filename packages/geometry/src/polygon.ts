/** Polygons on the pixel grid, bit-exact with the COCO tools (`docs/spec/formats.md#polygon-to-mask`). */
import { flipsToRuns, type PixelBox, unionOfColumns } from './run-lengths.ts'

/**
 * Returns the column runs of one ring (x, y per vertex, closed implicitly) in a `width` x `height` image. The inside
 * is even-odd; vertices may be outside the image.
 */
export function polygonToColumns(ring: readonly number[], width: number, height: number): number[] {
  const flips: number[] = []
  walkColumns(ring, width, height, (column, rows, from, to) => {
    for (let at = from; at < to; at += 1) {
      const position = column * height + (rows[at] ?? 0)
      // Two changes at one position cancel out.
      if (flips.at(-1) === position) flips.pop()
      else flips.push(position)
    }
  })
  return flipsToRuns(flips, width * height)
}

/** Returns the number of pixels that `polygonToColumns` sets, without creating the runs. */
export function polygonArea(ring: readonly number[], width: number, height: number): number {
  let area = 0
  walkColumns(ring, width, height, (_, rows, from, to) => {
    for (let at = from; at + 1 < to; at += 2) area += (rows[at + 1] ?? 0) - (rows[at] ?? 0)
  })
  return area
}

/** Returns the column runs of the union of all rings. */
export function polygonsToColumns(
  rings: readonly (readonly number[])[],
  width: number,
  height: number,
): number[] {
  const masks = rings.map((ring) => polygonToColumns(ring, width, height))
  return masks.length === 0 ? [width * height] : unionOfColumns(masks, width * height)
}

/** Returns the box around x, y pairs. */
export function boxOfPoints(points: readonly number[]): PixelBox {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at + 1 < points.length; at += 2) {
    const x = points[at] ?? 0
    const y = points[at + 1] ?? 0
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return [left, top, right - left, bottom - top]
}

// ---- intersections of a ring with the centres of pixel columns

/** The COCO tools use a grid five times finer than pixels. */
const scale = 5

/** Limit on rows in memory; the columns of larger rings are processed in strips. */
const rowsHeld = 1 << 20

/**
 * Callback for a column of pixels; `rows` from `from` to `to`, ascending, are the changes between inside and outside.
 */
type Visit = (column: number, rows: Int32Array, from: number, to: number) => void

function walkColumns(ring: readonly number[], width: number, height: number, visit: Visit): void {
  const corners = fineCorners(ring)
  const { first, last } = columnsOf(corners, width)
  const edges = corners.length / 2
  const columnsHeld = Math.max(1, Math.floor(rowsHeld / Math.max(1, edges)))
  for (let from = first; from <= last; from += columnsHeld) {
    walkStrip(corners, from, Math.min(last, from + columnsHeld - 1), height, visit)
  }
}

const fineCorners = (ring: readonly number[]): number[] =>
  ring.map((value) => whole(value * scale + 0.5))

/** Returns the columns of the image that the ring may cross. */
function columnsOf(corners: readonly number[], width: number): { first: number; last: number } {
  let [left, right] = [Infinity, -Infinity]
  for (let at = 0; at < corners.length; at += 2) {
    left = Math.min(left, corners[at] ?? 0)
    right = Math.max(right, corners[at] ?? 0)
  }
  return { first: firstMiddle(left), last: Math.min(width - 1, lastMiddle(right)) }
}

/** The centre of pixel x is between 5x + 2 and 5x + 3 on the fine grid, for columns and rows. */
function firstMiddle(left: number): number {
  return left <= 0 ? 0 : whole((left + 2) / scale)
}

function lastMiddle(right: number): number {
  return right < 3 ? -1 : whole((right - 3) / scale)
}

/** Buffers reused for every ring, because allocation takes longer than the computation. */
const lists = { ends: new Int32Array(4096), rows: new Int32Array(16_384) }

function roomIn(name: keyof typeof lists, length: number): Int32Array {
  if (lists[name].length < length) lists[name] = new Int32Array(2 * length)
  return lists[name]
}

function walkStrip(
  corners: readonly number[],
  first: number,
  last: number,
  height: number,
  visit: Visit,
): void {
  // An edge crosses a column at most once.
  const room = Math.ceil(corners.length / 2)
  const columns = last - first + 1
  const rows = roomIn('rows', room * columns)
  const ends = roomIn('ends', columns)
  for (let column = 0; column < columns; column += 1) ends[column] = column * room
  const strip = { corners, first, last, height, rows, ends }
  for (let at = 0; at < corners.length; at += 2) placeRows(strip, at)
  for (let column = 0; column < columns; column += 1) {
    const from = column * room
    const to = ends[column] ?? 0
    sortRows(rows, from, to)
    visit(first + column, rows, from, to)
  }
}

interface Strip {
  corners: readonly number[]
  first: number
  last: number
  height: number
  rows: Int32Array
  /** End of the rows of each column. */
  ends: Int32Array
}

/**
 * Stores the rows at which the edge from the corner `at` crosses the centres of columns. Of the lattice points on
 * both sides of a centre the upper one counts. The edge is not traversed.
 */
function placeRows({ corners, first, last, height, rows, ends }: Strip, at: number): void {
  const end = (at + 2) % corners.length
  const edge = edgeOf(
    corners[at] ?? 0,
    corners[at + 1] ?? 0,
    corners[end] ?? 0,
    corners[end + 1] ?? 0,
  )
  const from = Math.max(first, firstMiddle(edge.left))
  const to = Math.min(last, lastMiddle(edge.right))
  for (let column = from; column <= to; column += 1) {
    const fine = column * scale + 2
    const row = edge.isFlat ? flatRow(edge, fine) : steepRow(edge, fine)
    const slot = ends[column - first] ?? 0
    rows[slot] = Math.min(firstMiddle(row), height)
    ends[column - first] = slot + 1
  }
}

/** Truncates as C does, for numbers below 2 ** 31; faster than `Math.trunc`, and this is the hottest code. */
const whole = (value: number): number => value | 0

/** Edge as traversed by the COCO tools: along its longer axis in steps of one, from the smaller end. */
interface PolygonEdge {
  isFlat: boolean
  x: number
  y: number
  /** Change of the other axis per step. */
  slope: number
  left: number
  right: number
}

function edgeOf(x0: number, y0: number, x1: number, y1: number): PolygonEdge {
  const isFlat = Math.abs(x1 - x0) >= Math.abs(y1 - y0)
  const isBackward = isFlat ? x0 > x1 : y0 > y1
  const slope = isFlat ? (y1 - y0) / (x1 - x0) : (x1 - x0) / (y1 - y0)
  return {
    isFlat,
    x: isBackward ? x1 : x0,
    y: isBackward ? y1 : y0,
    slope,
    left: Math.min(x0, x1),
    right: Math.max(x0, x1),
  }
}

function flatRow({ x, y, slope }: PolygonEdge, column: number): number {
  const step = slope >= 0 ? column - x : column - x + 1
  return whole(y + slope * step + 0.5)
}

/** Returns the row before the first step whose lattice point is on the other side of the centre. */
function steepRow({ x, y, slope }: PolygonEdge, column: number): number {
  let step = Math.max(0, whole((column + 0.5 - x) / slope))
  while (!isAcross(x, slope, step, column)) step += 1
  while (step > 0 && isAcross(x, slope, step - 1, column)) step -= 1
  return y + step - 1
}

function isAcross(start: number, slope: number, step: number, column: number): boolean {
  const x = whole(start + slope * step + 0.5)
  return slope > 0 ? x > column : x <= column
}

/** Insertion sort, because most columns have two or four rows. */
function sortRows(rows: Int32Array, from: number, to: number): void {
  if (to - from > 16) {
    rows.subarray(from, to).sort()
    return
  }
  for (let at = from + 1; at < to; at += 1) {
    const row = rows[at] ?? 0
    let slot = at
    for (; slot > from && (rows[slot - 1] ?? 0) > row; slot -= 1) rows[slot] = rows[slot - 1] ?? 0
    rows[slot] = row
  }
}
