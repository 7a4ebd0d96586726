import type { Shape } from '@reticle/sdk'
import type { Outline } from './outline.ts'

export type ShapeType = Shape['type']

/** Geometry of a shape or of a position of a track. */
export type Placed = Pick<Shape, 'type' | 'points' | 'rotation'>

/**
 * Returns the outlines of a shape; none for masks, which are drawn by pixel, and skeletons, which are drawn by
 * element.
 */
export function outlinesOf({ type, points, rotation }: Placed): Outline[] {
  return byType[type](points, radians(rotation))
}

const byType: Record<ShapeType, (points: number[], angle: number) => Outline[]> = {
  rectangle: (points, angle) => [{ form: 'ring', points: corners(points, angle) }],
  polygon: (points) => [{ form: 'ring', points }],
  polyline: (points) => [{ form: 'line', points }],
  points: dots,
  ellipse: ([x = 0, y = 0, rx = 0, ry = 0], angle) => [{ form: 'ellipse', x, y, rx, ry, angle }],
  cuboid,
  mask: () => [],
  skeleton: () => [],
}

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Returns the corners of a box that is rotated clockwise about its centre. */
function corners([left = 0, top = 0, right = 0, bottom = 0]: number[], angle: number): number[] {
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

function dots(points: number[]): Outline[] {
  const found: Outline[] = []
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

function cuboid(points: number[]): Outline[] {
  const at = (corner: number) => [points[2 * corner] ?? 0, points[2 * corner + 1] ?? 0]
  const edges = front.map((corner, index) => [corner, rear[index] ?? corner])
  return [
    { form: 'ring', points: rear.flatMap(at) },
    ...edges.map((edge): Outline => ({ form: 'line', points: edge.flatMap(at) })),
    { form: 'ring', points: front.flatMap(at) },
  ]
}
