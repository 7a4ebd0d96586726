/** Masks as polygons along the borders of their pixels (spec/formats.md 6.4). */
import { type Bitmap, cropToBitmap } from './run-lengths.ts'

/**
 * The rings of a crop mask, one for each group of pixels that touch by side or corner; x, y per vertex on
 * the corners of pixels, so that rasterising the rings gives the mask back. Holes hang on their ring by
 * a bridge without width.
 */
export function maskToPolygons(points: readonly number[]): number[][] {
  const grid = padded(cropToBitmap(points))
  const parts = labelParts(grid)
  const outer = new Map<number, number[]>()
  const holes: [part: number, ring: number[]][] = []
  const walked = new Uint8Array(grid.bits.length * 4)
  for (let at = 0; at < grid.bits.length; at += 1) {
    for (const heading of [0, 2]) {
      if (!isBorder(grid, at, heading) || walked[at * 4 + heading] === 1) continue
      const ring = follow(grid, at, heading, walked)
      const part = parts[at] ?? 0
      if (isClockwise(ring)) outer.set(part, ring)
      else holes.push([part, ring])
    }
  }
  for (const [part, hole] of holes) outer.set(part, bridge(outer.get(part) ?? [], hole))
  return [...outer.values()].map((ring) => place(ring, grid))
}

/** A bitmap with one empty pixel around it, so that every set pixel has eight neighbours. */
function padded({ left, top, width, height, bits }: Bitmap): Bitmap {
  const wide = width + 2
  const larger = new Uint8Array(wide * (height + 2))
  for (let row = 0; row < height; row += 1) {
    larger.set(bits.subarray(row * width, (row + 1) * width), (row + 1) * wide + 1)
  }
  return { left: left - 1, top: top - 1, width: wide, height: height + 2, bits: larger }
}

/** Numbers the groups of touching set pixels from 1. */
function labelParts({ width, bits }: Bitmap): Int32Array {
  const parts = new Int32Array(bits.length)
  const around = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]
  let part = 0
  for (let at = 0; at < bits.length; at += 1) {
    if (bits[at] !== 1 || parts[at] !== 0) continue
    part += 1
    parts[at] = part
    const open = [at]
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const step of around) {
        const next = from + step
        if (bits[next] !== 1 || parts[next] !== 0) continue
        parts[next] = part
        open.push(next)
      }
    }
  }
  return parts
}

/**
 * A border is walked with its set pixel on the right: heading 0 east above the pixel, 1 south on its
 * right, 2 west below, 3 north on its left.
 */
const ahead = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
] as const

function isBorder({ width, bits }: Bitmap, at: number, heading: number): boolean {
  const outside = sideOf(heading + 3, width)
  return bits[at] === 1 && bits[at + outside] === 0
}

function sideOf(heading: number, width: number): number {
  const { x = 0, y = 0 } = ahead[heading % 4] ?? {}
  return y * width + x
}

/** Follows one border and answers its corners in the grid. */
function follow(grid: Bitmap, start: number, startHeading: number, walked: Uint8Array): number[] {
  const ring: number[] = []
  let at = start
  let heading = startHeading
  do {
    walked[at * 4 + heading] = 1
    const front = at + sideOf(heading, grid.width)
    const diagonal = front + sideOf(heading + 3, grid.width)
    const before = heading
    if (grid.bits[diagonal] === 1) {
      at = diagonal
      heading = (heading + 3) % 4
    } else if (grid.bits[front] === 1) at = front
    else heading = (heading + 1) % 4
    if (heading !== before) ring.push(...cornerAt(grid, at, heading))
  } while (at !== start || heading !== startHeading)
  return ring
}

/** Where the border of a pixel begins for a heading: the corner behind. */
function cornerAt({ width }: Bitmap, at: number, heading: number): [x: number, y: number] {
  const [x, y] = [at % width, Math.floor(at / width)]
  return [x + (heading === 1 || heading === 2 ? 1 : 0), y + (heading >= 2 ? 1 : 0)]
}

/** Outer borders run clockwise on the screen, borders of holes the other way. */
function isClockwise(ring: number[]): boolean {
  let doubled = 0
  for (let at = 0; at < ring.length; at += 2) {
    const next = (at + 2) % ring.length
    doubled += (ring[at] ?? 0) * (ring[next + 1] ?? 0) - (ring[next] ?? 0) * (ring[at + 1] ?? 0)
  }
  return doubled > 0
}

/** One ring that goes to the hole, around it, and back the same way. */
function bridge(ring: number[], hole: number[]): number[] {
  const [x = 0, y = 0] = hole
  let near = 0
  let best = Infinity
  for (let at = 0; at < ring.length; at += 2) {
    const far = Math.hypot((ring[at] ?? 0) - x, (ring[at + 1] ?? 0) - y)
    if (far < best) [near, best] = [at, far]
  }
  const back = [x, y, ...ring.slice(near, near + 2)]
  return [...ring.slice(0, near + 2), ...hole, ...back, ...ring.slice(near + 2)]
}

function place(ring: number[], { left, top }: Bitmap): number[] {
  return ring.map((value, at) => value + (at % 2 === 0 ? left : top))
}
