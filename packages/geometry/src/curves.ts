/**
 * Interpolation of polygons and polylines between two keyframes ("curve matching"). Vertices are matched by their
 * relative arc length, each match moves along a straight line, and vertices that are then too close are removed
 * (`docs/spec/annotations.md#interpolated-reads`).
 */
/** Function that returns the points at a fraction t between two keyframes. */
export type Blend = (t: number) => readonly number[]

interface Point {
  x: number
  y: number
}

/** Vertices with the length of the curve up to each of them. */
interface Curve {
  points: Point[]
  lengths: number[]
}

/** Returns the interpolation from `left` to `right`; both are x, y per vertex. */
export function blendCurves(
  left: readonly number[],
  right: readonly number[],
  isClosed: boolean,
): Blend {
  const [from, to] = [readCurve(left, isClosed), readCurve(right, isClosed)]
  const matches = matchVertices(shares(from), shares(to))
  const parts = findParts(matches, from, to)
  return (t) => {
    const moved = matches.map((targets, index) =>
      targets.map((target) => between(pointOf(from, index), pointOf(to, target), t)),
    )
    const points = parts.flatMap((part) =>
      thin(moved.slice(part.first, part.last + 1).flat(), part.threshold),
    )
    return (isClosed ? points.slice(0, -1) : points).flatMap(({ x, y }) => [x, y])
  }
}

function readCurve(flat: readonly number[], isClosed: boolean): Curve {
  const points: Point[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) {
    points.push({ x: flat[at] ?? 0, y: flat[at + 1] ?? 0 })
  }
  const start = points[0]
  if (isClosed && start) points.push(start)
  let length = 0
  const lengths = points.map((point, index) => {
    length += index === 0 ? 0 : distance(points[index - 1] ?? point, point)
    return length
  })
  return { points, lengths }
}

/** Returns the position of each vertex on the curve, 0 to 1; on a curve of length 0 vertices are counted. */
function shares({ points, lengths }: Curve): number[] {
  const total = lengths.at(-1) ?? 0
  if (total > 0) return lengths.map((length) => length / total)
  return points.map((_, index) => index / Math.max(1, points.length - 1))
}

/** Returns, for each left vertex, the matching right vertices, ascending. */
function matchVertices(left: number[], right: number[]): number[][] {
  const matches = left.map((share) => [nearest(right, share)])
  const matched = new Set(matches.flat())
  right.forEach((share, index) => {
    if (!matched.has(index)) matches[nearest(left, share)]?.push(index)
  })
  return matches.map((targets) => targets.sort((a, b) => a - b))
}

function nearest(shares: number[], share: number): number {
  let best = 0
  shares.forEach((other, index) => {
    if (Math.abs(other - share) < Math.abs((shares[best] ?? 0) - share)) best = index
  })
  return best
}

/** Neighbouring left vertices that are thinned together, and the minimum distance of their results. */
interface Part {
  first: number
  last: number
  threshold: number
}

function findParts(matches: number[][], left: Curve, right: Curve): Part[] {
  const parts: Part[] = []
  for (let first = 0; first < matches.length; first += 1) {
    const targets = matches[first] ?? []
    const [from = 0, to = 0] = [targets[0], targets.at(-1)]
    if (targets.length > 1) {
      const threshold = stretch(right, from, to) / (2 * targets.length)
      parts.push({ first, last: first, threshold })
      continue
    }
    let last = first
    while (isOnly(matches[last + 1], from)) last += 1
    const threshold = stretch(left, first, last) / (2 * (last - first + 1))
    parts.push({ first, last, threshold })
    first = last
  }
  return parts
}

function isOnly(targets: number[] | undefined, target: number): boolean {
  return targets?.length === 1 && targets[0] === target
}

function thin(points: Point[], threshold: number): Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length === 1) return points
  const kept = [first]
  for (const point of points.slice(1, -1)) {
    if (distance(kept.at(-1) ?? first, point) >= threshold) kept.push(point)
  }
  if (kept.length === 1 && distance(first, last) < threshold) return [between(first, last, 0.5)]
  return [...kept, last]
}

function stretch({ lengths }: Curve, from: number, to: number): number {
  return (lengths[to] ?? 0) - (lengths[from] ?? 0)
}

function pointOf({ points }: Curve, index: number): Point {
  return points[index] ?? { x: 0, y: 0 }
}

function between(a: Point, b: Point, t: number): Point {
  return { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y)
}
