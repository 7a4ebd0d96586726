/** Intersection over union (IoU) of two regions. */
import { simpleRing } from './ring.ts'

/** Returns the IoU of two boxes x1, y1, x2, y2 with corners in any order; 0 when one has no area. */
export function boxIou(a: readonly number[], b: readonly number[]): number {
  const [width, height] = [commonLength(a, b, 0), commonLength(a, b, 1)]
  return shareOf(width * height, boxArea(a), boxArea(b))
}

function commonLength(a: readonly number[], b: readonly number[], axis: 0 | 1): number {
  const ends = (box: readonly number[]) => {
    const [from = 0, to = 0] = [box[axis], box[axis + 2]]
    return [Math.min(from, to), Math.max(from, to)] as const
  }
  const [[a1, a2], [b1, b2]] = [ends(a), ends(b)]
  return Math.max(0, Math.min(a2, b2) - Math.max(a1, b1))
}

const boxArea = ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]) =>
  Math.abs((x2 - x1) * (y2 - y1))

function shareOf(common: number, a: number, b: number): number {
  if (common <= 0 || a === 0 || b === 0) return 0
  return Math.min(1, common / (a + b - common))
}

/**
 * Returns the IoU of two cuboids in a point cloud (centre x, y, z, three angles, size x, y, z): that of their boxes
 * from the top (x and y) times that from the side (x and z). Rotation is ignored.
 */
export function cuboidIou(a: readonly number[], b: readonly number[]): number {
  return boxIou(seenAlong(a, 1), seenAlong(b, 1)) * boxIou(seenAlong(a, 2), seenAlong(b, 2))
}

function seenAlong(cuboid: readonly number[], axis: 1 | 2): number[] {
  const [x = 0, y = 0] = [cuboid[0], cuboid[axis]]
  const [width = 0, height = 0] = [cuboid[6], cuboid[6 + axis]]
  return [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
}

/** Polygon prepared for comparisons. */
export interface Region {
  area: number
  /** Edges that are not vertical, ordered by their left ends. */
  edges: readonly RegionEdge[]
  top: number
  bottom: number
}

/** Edge from left to right; `sign` is 1 where the region is on the side of larger y, otherwise -1. */
interface RegionEdge {
  left: number
  right: number
  y: number
  slope: number
  sign: number
}

/**
 * Prepares a polygon (x, y per vertex, closed implicitly), convex or concave. Returns undefined when it crosses or
 * touches itself, or has no area.
 */
export function readRegion(points: readonly number[]): Region | undefined {
  const ring = simpleRing(points)
  if (!ring) return undefined
  const turn = ring.area > 0 ? 1 : -1
  const edges: RegionEdge[] = []
  for (const { x1, y1, x2, y2 } of ring.edges) {
    if (x1 === x2) continue
    const slope = (y2 - y1) / (x2 - x1)
    const [left, right, y] = x1 < x2 ? [x1, x2, y1] : [x2, x1, y2]
    edges.push({ left, right, y, slope, sign: x1 < x2 ? -turn : turn })
  }
  edges.sort((a, b) => a.left - b.left)
  const heights = ring.edges.map((one) => one.y1)
  const extreme = (pick: (a: number, b: number) => number) => heights.reduce((a, b) => pick(a, b))
  return { area: Math.abs(ring.area), edges, top: extreme(Math.min), bottom: extreme(Math.max) }
}

/** Returns the IoU of two prepared polygons, exact up to rounding. */
export function regionIou(a: Region, b: Region): number {
  if (a.bottom <= b.top || b.bottom <= a.top) return 0
  return shareOf(commonArea(a, b), a.area, b.area)
}

/** Returns the IoU of two polygons; 0 when one is invalid as a region. */
export function polygonIou(a: readonly number[], b: readonly number[]): number {
  const [left, right] = [readRegion(a), readRegion(b)]
  return left && right ? regionIou(left, right) : 0
}

/**
 * A region is the signed sum of the areas below its edges. The intersection of two regions is therefore the sum, over
 * each edge of one and each of the other, of the area below both.
 */
function commonArea(a: Region, b: Region): number {
  const floor = Math.min(a.top, b.top)
  let [area, from] = [0, 0]
  const widest = b.edges.reduce((most, one) => Math.max(most, one.right - one.left), 0)
  for (const edge of a.edges) {
    while ((b.edges[from]?.left ?? Infinity) < edge.left - widest) from += 1
    for (let at = from; at < b.edges.length; at += 1) {
      const other = b.edges[at]
      if (!other || other.left >= edge.right) break
      area += edge.sign * other.sign * belowBoth(edge, other, floor)
    }
  }
  return area
}

/** Returns the area between `floor` and the lower of two edges, in the x range of both. */
function belowBoth(a: RegionEdge, b: RegionEdge, floor: number): number {
  const left = Math.max(a.left, b.left)
  const right = Math.min(a.right, b.right)
  if (left >= right) return 0
  const heights = (x: number) =>
    [a.y + a.slope * (x - a.left) - floor, b.y + b.slope * (x - b.left) - floor] as const
  const [a1, b1] = heights(left)
  const [a2, b2] = heights(right)
  if ((a1 - b1) * (a2 - b2) >= 0) {
    return ((Math.min(a1, b1) + Math.min(a2, b2)) / 2) * (right - left)
  }
  const share = (a1 - b1) / (a1 - b1 - (a2 - b2))
  const crossing = a1 + (a2 - a1) * share
  const before = ((Math.min(a1, b1) + crossing) / 2) * share
  const after = ((crossing + Math.min(a2, b2)) / 2) * (1 - share)
  return (before + after) * (right - left)
}
