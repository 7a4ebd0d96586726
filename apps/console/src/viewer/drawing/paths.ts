import type { ShapeOutline } from '../geometry/outline.ts'

const kept = new WeakMap<ShapeOutline, Path2D>()

/**
 * Returns the path of an outline in picture pixels. It is independent of the zoom and therefore cached. Dots have no
 * path.
 */
export function pathOf(outline: Exclude<ShapeOutline, { form: 'dot' }>): Path2D {
  const known = kept.get(outline)
  if (known) return known
  const path = new Path2D()
  if (outline.form === 'ellipse') {
    const { x, y, rx, ry, angle } = outline
    path.ellipse(x, y, rx, ry, angle, 0, 2 * Math.PI)
  } else addLine(path, outline.points)
  if (outline.form === 'ring') path.closePath()
  kept.set(outline, path)
  return path
}

function addLine(path: Path2D, points: readonly number[]): void {
  for (let at = 0; at + 1 < points.length; at += 2)
    path.lineTo(points[at] ?? 0, points[at + 1] ?? 0)
}
