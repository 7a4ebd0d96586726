import { isInMask, type Mask } from './mask.ts'
import type { PictureBox, ShapeOutline } from './outline.ts'
import type { Point } from './view.ts'

/** Object that can be pointed at. */
export interface HitTarget {
  box: PictureBox
  outlines: readonly ShapeOutline[]
  mask?: Mask
}

/** Returns the last, and therefore topmost, target at a picture point or within `reach` of it. */
export function lastAt<T extends HitTarget>(
  targets: readonly T[],
  at: Point,
  reach: number,
): T | undefined {
  return targets.findLast((target) => isNear(target.box, at, reach) && isAt(target, at, reach))
}

// Comparing 10,000 boxes takes a fraction of a millisecond, so no index is needed.
const isNear = ({ left, top, right, bottom }: PictureBox, { x, y }: Point, reach: number) =>
  x >= left - reach && x <= right + reach && y >= top - reach && y <= bottom + reach

function isAt({ outlines, mask }: HitTarget, at: Point, reach: number): boolean {
  if (mask && isInMask(mask, at.x, at.y)) return true
  return outlines.some((outline) => isOn(outline, at, reach))
}

function isOn(outline: ShapeOutline, at: Point, reach: number): boolean {
  switch (outline.form) {
    case 'dot':
      return Math.hypot(outline.x - at.x, outline.y - at.y) <= reach
    case 'ellipse':
      return isInEllipse(outline, at, reach)
    case 'line':
      return isAlong(outline.points, at, reach)
    case 'ring':
      return isInRing(outline.points, at) || isAlong(closeRing(outline.points), at, reach)
  }
}

function isInEllipse(
  { x, y, rx, ry, angle }: ShapeOutline & { form: 'ellipse' },
  at: Point,
  reach: number,
): boolean {
  const [dx, dy] = [at.x - x, at.y - y]
  const along = dx * Math.cos(angle) + dy * Math.sin(angle)
  const across = dy * Math.cos(angle) - dx * Math.sin(angle)
  return Math.hypot(along / (rx + reach), across / (ry + reach)) <= 1
}

const closeRing = (points: readonly number[]) => [...points, ...points.slice(0, 2)]

/** Returns whether a ray from the point crosses the ring an odd number of times. */
function isInRing(points: readonly number[], { x, y }: Point): boolean {
  let isInside = false
  for (const [fromX, fromY, toX, toY] of sidesOf(closeRing(points)))
    if (fromY > y !== toY > y && x < fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX))
      isInside = !isInside
  return isInside
}

function isAlong(points: readonly number[], at: Point, reach: number): boolean {
  for (const side of sidesOf(points)) if (distanceToSide(side, at) <= reach) return true
  return false
}

type Side = readonly [number, number, number, number]

function* sidesOf(points: readonly number[]): Generator<Side> {
  for (let at = 0; at + 3 < points.length; at += 2)
    yield [points[at] ?? 0, points[at + 1] ?? 0, points[at + 2] ?? 0, points[at + 3] ?? 0]
}

function distanceToSide([fromX, fromY, toX, toY]: Side, { x, y }: Point): number {
  const [dx, dy] = [toX - fromX, toY - fromY]
  const length = dx * dx + dy * dy
  const part = length === 0 ? 0 : ((x - fromX) * dx + (y - fromY) * dy) / length
  const nearest = Math.max(0, Math.min(1, part))
  return Math.hypot(fromX + nearest * dx - x, fromY + nearest * dy - y)
}
