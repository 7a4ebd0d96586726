/** Polygons on the pixel grid, bit-exact with the COCO tools (spec/formats.md 6.2). */
import { flipsToRuns, type PixelBox, unionOfColumns } from './run-lengths.ts'

/** The tools work on a grid five times finer than pixels. */
const scale = 5

/** Beyond this many crossings equal pairs are cancelled on the way, so memory stays with the image. */
const crossingsKept = 1 << 20

/** From one vertex to the next, on the fine grid. */
interface Edge {
  x0: number
  y0: number
  x1: number
  y1: number
}

/**
 * The column runs of one ring (x, y per vertex, closed implicitly) in a `width` x `height` image.
 * Inside is even-odd; vertices may lie outside of the image.
 */
export function polygonToColumns(ring: readonly number[], width: number, height: number): number[] {
  const corners = ring.map((value) => Math.trunc(value * scale + 0.5))
  let crossings: number[] = []
  let limit = crossingsKept
  for (let at = 0; at + 1 < corners.length; at += 2) {
    const next = (at + 2) % corners.length
    const [x0 = 0, y0 = 0] = [corners[at], corners[at + 1]]
    const [x1 = 0, y1 = 0] = [corners[next], corners[next + 1]]
    addCrossings(crossings, { x0, y0, x1, y1 }, width, height)
    if (crossings.length > limit) {
      crossings = withoutPairs(crossings)
      limit = crossings.length + crossingsKept
    }
  }
  return flipsToRuns(withoutPairs(crossings), width * height)
}

/** The column runs of all rings together: a pixel counts when any ring holds it. */
export function polygonsToColumns(
  rings: readonly (readonly number[])[],
  width: number,
  height: number,
): number[] {
  const masks = rings.map((ring) => polygonToColumns(ring, width, height))
  return masks.length === 0 ? [width * height] : unionOfColumns(masks, width * height)
}

/** The box around x, y pairs. */
export function boxOfPoints(points: readonly number[]): PixelBox {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return [left, top, right - left, bottom - top]
}

/**
 * Where an edge passes the middle of a pixel column, the value changes: the position of the first
 * pixel below, column-major. The middle lies between the fine columns 5x + 2 and 5x + 3, so only those
 * two are looked at, never the whole edge.
 */
function addCrossings(into: number[], edge: Edge, width: number, height: number): void {
  const { x0, x1 } = edge
  const first = Math.max(0, Math.ceil((Math.min(x0, x1) - 2) / scale))
  const last = Math.min(width - 1, Math.floor((Math.max(x0, x1) - 3) / scale))
  if (first > last) return
  const rowAt = edgeRows(edge)
  for (let column = first; column <= last; column += 1) {
    const y = (rowAt(column * scale + 2) + 0.5) / scale - 0.5
    const row = Math.ceil(Math.min(Math.max(y, 0), height))
    into.push(column * height + row)
  }
}

/** For a fine column c: the smaller fine row of the edge's lattice points in c and c + 1. */
function edgeRows({ x0, y0, x1, y1 }: Edge): (column: number) => number {
  const [dx, dy] = [Math.abs(x1 - x0), Math.abs(y1 - y0)]
  const isFlat = dx >= dy
  const isFlipped = isFlat ? x0 > x1 : y0 > y1
  const [xs, ys, xe, ye] = isFlipped ? [x1, y1, x0, y0] : [x0, y0, x1, y1]
  if (isFlat) {
    const slope = (ye - ys) / dx
    const row = (step: number): number => Math.trunc(ys + slope * step + 0.5)
    return (column) => Math.min(row(column - xs), row(column - xs + 1))
  }
  const slope = (xe - xs) / dy
  return (column) => ys + stepAcross(xs, slope, column) - 1
}

/** The first step of a steep edge whose lattice point lies on the other side of column and column + 1. */
function stepAcross(start: number, slope: number, column: number): number {
  const isAcross = (step: number): boolean => {
    const x = Math.trunc(start + slope * step + 0.5)
    return slope > 0 ? x > column : x <= column
  }
  let step = Math.max(0, Math.round((column + 0.5 - start) / slope))
  while (!isAcross(step)) step += 1
  while (step > 0 && isAcross(step - 1)) step -= 1
  return step
}

/** Sorted, with every two equal positions removed: two changes at one place are none. */
function withoutPairs(positions: number[]): number[] {
  const kept: number[] = []
  for (const at of Float64Array.from(positions).sort()) {
    if (kept.at(-1) === at) kept.pop()
    else kept.push(at)
  }
  return kept
}
