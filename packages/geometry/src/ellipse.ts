/** Ellipses on the pixel grid. */
import type { Bitmap } from './run-lengths.ts'
import { bitmapToColumns } from './run-lengths.ts'

/**
 * Returns the column runs of an ellipse (centre x, centre y, radius x, radius y, rotated by `rotation` degrees) in a
 * `width` x `height` image. Centre and radii are rounded to whole pixels first.
 */
export function ellipseToColumns(
  points: readonly number[],
  rotation: number,
  width: number,
  height: number,
): number[] {
  const bitmap = paint(points.map(Math.round), (rotation * Math.PI) / 180, width, height)
  return bitmap ? bitmapToColumns(bitmap, width, height) : [width * height]
}

function paint(
  points: readonly number[],
  angle: number,
  width: number,
  height: number,
): Bitmap | undefined {
  const [cx = 0, cy = 0, rx = 0, ry = 0] = points
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [reachX, reachY] = [Math.hypot(rx * cos, ry * sin), Math.hypot(rx * sin, ry * cos)]
  const left = Math.max(0, Math.floor(cx - reachX))
  const top = Math.max(0, Math.floor(cy - reachY))
  const right = Math.min(width - 1, Math.ceil(cx + reachX))
  const bottom = Math.min(height - 1, Math.ceil(cy + reachY))
  if (right < left || bottom < top) return undefined
  const box = { left, top, width: right - left + 1, height: bottom - top + 1 }
  const bits = new Uint8Array(box.width * box.height)
  for (let at = 0; at < bits.length; at += 1) {
    const dx = left + (at % box.width) - cx
    const dy = top + Math.floor(at / box.width) - cy
    const along = share(dx * cos + dy * sin, rx)
    const across = share(dy * cos - dx * sin, ry)
    bits[at] = along + across <= 1 ? 1 : 0
  }
  return { ...box, bits }
}

/**
 * Returns the square of a distance in radii. An ellipse with a radius of 0 contains only the line of pixels through
 * its centre.
 */
function share(distance: number, radius: number): number {
  if (radius > 0) return (distance / radius) ** 2
  return Math.abs(distance) < 0.5 ? 0 : Infinity
}
