import type { Shape } from '@reticle/sdk'
import type { ShapeOutline } from './outline.ts'

export type OutlinedType = Shape['type']

/** Geometry of a shape or of a position of a track. */
export type ShapeGeometry = Pick<Shape, 'type' | 'points' | 'rotation'>

/**
 * Returns the outlines of a shape; none for masks, which are drawn by pixel, and skeletons, which are drawn by
 * element.
 */
export function outlinesOf({ type, points, rotation }: ShapeGeometry): ShapeOutline[] {
  return byType[type](points, toRadians(rotation))
}

const byType: Record<OutlinedType, (points: number[], angle: number) => ShapeOutline[]> = {
  rectangle: (points, angle) => [{ form: 'ring', points: rotatedCorners(points, angle) }],
  polygon: (points) => [{ form: 'ring', points }],
  polyline: (points) => [{ form: 'line', points }],
  points: dotOutlines,
  ellipse: ([x = 0, y = 0, rx = 0, ry = 0], angle) => [{ form: 'ellipse', x, y, rx, ry, angle }],
  cuboid: cuboidOutlines,
  mask: () => [],
  skeleton: () => [],
}

const toRadians = (degrees: number) => (degrees * Math.PI) / 180

/** Returns the corners of a box that is rotated clockwise about its centre. */
function rotatedCorners(
  [left = 0, top = 0, right = 0, bottom = 0]: number[],
  angle: number,
): number[] {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const turned = (atX: number, atY: number) => [
    x + (atX - x) * cos - (atY - y) * sin,
    y + (atX - x) * sin + (atY - y) * cos,
  ]
  if (angle === 0) return [left, top, right, top, right, bottom, left, bottom]
  return [
    ...turned(left, top),
    ...turned(right, top),
    ...turned(right, bottom),
    ...turned(left, bottom),
  ]
}

function dotOutlines(points: number[]): ShapeOutline[] {
  const found: ShapeOutline[] = []
  for (let at = 0; at + 1 < points.length; at += 2)
    found.push({ form: 'dot', x: points[at] ?? 0, y: points[at + 1] ?? 0 })
  return found
}

/**
 * The corners 0 to 3 belong to the front (left top, left bottom, right top, right bottom), 4 to 7 to the rear, where
 * the right ones come first.
 */
const front = [0, 1, 3, 2]
const rear = [6, 7, 5, 4]

function cuboidOutlines(points: number[]): ShapeOutline[] {
  const at = (corner: number) => [points[2 * corner] ?? 0, points[2 * corner + 1] ?? 0]
  const edges = front.map((corner, index) => [corner, rear[index] ?? corner])
  return [
    { form: 'ring', points: rear.flatMap(at) },
    ...edges.map((edge): ShapeOutline => ({ form: 'line', points: edge.flatMap(at) })),
    { form: 'ring', points: front.flatMap(at) },
  ]
}
