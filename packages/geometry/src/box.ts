/** Boxes and rotated boxes. */
import { polygonToColumns } from './polygon.ts'

/**
 * Returns the corners of a box x1, y1, x2, y2 rotated by `rotation` degrees, clockwise on the screen, about its
 * centre: x, y of top-left, top-right, bottom-right, bottom-left before the rotation; rounded to 2 decimals when
 * rotated.
 */
export function boxCorners(points: readonly number[], rotation = 0): number[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points
  const corners = [x1, y1, x2, y1, x2, y2, x1, y2]
  return rotation === 0 ? corners : turn(corners, (x1 + x2) / 2, (y1 + y2) / 2, rotation)
}

/** Returns left, top, right, bottom of a box given by two opposite corners in any order. */
export function orderCorners(points: readonly number[]): readonly number[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points
  if (x1 <= x2 && y1 <= y2) return points
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
}

/** Returns the column runs of a box in a `width` x `height` image. */
export function boxToColumns(
  points: readonly number[],
  rotation: number,
  width: number,
  height: number,
): number[] {
  return polygonToColumns(boxCorners(points, rotation), width, height)
}

function turn(points: readonly number[], cx: number, cy: number, degrees: number): number[] {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  return points.map((value, at) => {
    const dx = (at % 2 === 0 ? value : (points[at - 1] ?? 0)) - cx
    const dy = (at % 2 === 0 ? (points[at + 1] ?? 0) : value) - cy
    return at % 2 === 0 ? round2(cx + cos * dx - sin * dy) : round2(cy + sin * dx + cos * dy)
  })
}

/** Rounds to two decimals, the precision of coordinates in exports (`docs/spec/formats.md#coordinates`). */
export function round2(value: number): number {
  return Math.round(value * 100) / 100
}
