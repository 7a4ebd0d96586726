/** Closed rings of points without self-intersection. */

export interface RingEdge {
  x1: number
  y1: number
  x2: number
  y2: number
}

export interface Ring {
  edges: readonly RingEdge[]
  /** Signed area; positive when y increases to the left of the direction of travel. */
  area: number
}

/**
 * Returns the ring of x, y pairs without repeated points; undefined when it crosses or touches itself, or has no
 * area.
 */
export function simpleRing(points: readonly number[]): Ring | undefined {
  const edges: RingEdge[] = []
  for (let at = 0; at + 1 < points.length; at += 2) {
    const end = at + 3 < points.length ? at + 2 : 0
    const edge = {
      x1: points[at] ?? 0,
      y1: points[at + 1] ?? 0,
      x2: points[end] ?? 0,
      y2: points[end + 1] ?? 0,
    }
    if (edge.x1 !== edge.x2 || edge.y1 !== edge.y2) edges.push(edge)
  }
  const area = areaOf(edges)
  return edges.length < 3 || area === 0 || touchesItself(edges) ? undefined : { edges, area }
}

/** Computed relative to the first point, because far from the origin products of coordinates would lose digits. */
function areaOf(edges: readonly RingEdge[]): number {
  const [x = 0, y = 0] = [edges[0]?.x1, edges[0]?.y1]
  const twice = edges.reduce(
    (sum, { x1, y1, x2, y2 }) => sum + (x1 - x) * (y2 - y) - (x2 - x) * (y1 - y),
    0,
  )
  return twice / 2
}

function touchesItself(edges: readonly RingEdge[]): boolean {
  const sorted = [...edges.entries()].sort(([, a], [, b]) => leftOf(a) - leftOf(b))
  for (const [at, [index, edge]] of sorted.entries()) {
    for (let next = at + 1; next < sorted.length; next += 1) {
      const [other = 0, second = edge] = sorted[next] ?? []
      if (leftOf(second) > rightOf(edge)) break
      if (clash(edges, index, other)) return true
    }
  }
  return false
}

/** Returns whether two edges touch wrongly. Consecutive edges share a point; others must not. */
function clash(edges: readonly RingEdge[], at: number, other: number): boolean {
  const [a, b] = [edges[at], edges[other]]
  if (!a || !b) return false
  if ((at + 1) % edges.length === other) return turnsBack(a, b)
  if ((other + 1) % edges.length === at) return turnsBack(b, a)
  return meet(a, b)
}

const leftOf = ({ x1, x2 }: RingEdge) => Math.min(x1, x2)
const rightOf = ({ x1, x2 }: RingEdge) => Math.max(x1, x2)

/** Returns whether the second of two consecutive edges overlaps the first. */
function turnsBack(a: RingEdge, b: RingEdge): boolean {
  const along = (a.x2 - a.x1) * (b.x2 - b.x1) + (a.y2 - a.y1) * (b.y2 - b.y1)
  return along < 0 && side(a, b.x2, b.y2) === 0
}

/** Returns whether two edges have a common point. */
function meet(a: RingEdge, b: RingEdge): boolean {
  if (Math.max(a.y1, a.y2) < Math.min(b.y1, b.y2)) return false
  if (Math.max(b.y1, b.y2) < Math.min(a.y1, a.y2)) return false
  const [b1, b2] = [side(a, b.x1, b.y1), side(a, b.x2, b.y2)]
  const [a1, a2] = [side(b, a.x1, a.y1), side(b, a.x2, a.y2)]
  if (b1 === 0 && b2 === 0) return leftOf(a) <= rightOf(b) && leftOf(b) <= rightOf(a)
  return b1 * b2 <= 0 && a1 * a2 <= 0
}

/** Returns the side of an edge's line on which a point is: -1, 0 or 1. */
function side({ x1, y1, x2, y2 }: RingEdge, x: number, y: number): number {
  return Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1))
}
