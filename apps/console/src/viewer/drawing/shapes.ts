import type { FrameObject, ObjectPiece } from '../frame/item.ts'
import type { ShapeOutline } from '../geometry/outline.ts'
import type { View } from '../geometry/view.ts'
import type { Pen } from './scene.ts'

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/**
 * With more objects, lines are one device pixel wide and dots are squares: browsers draw hairlines six times faster
 * than wider lines, so 10,000 shapes take 60 ms instead of 300.
 */
const dense = 1500

const lineWidth = 2
const dotRadius = 4
const dash = [6, 4]

/** Draws objects in order. `density` is the number of device pixels per CSS pixel. */
export function drawItems(
  context: Context,
  items: readonly FrameObject[],
  view: View,
  density: number,
  pen: Pen,
): void {
  const isDense = items.length > dense
  const pixel = 1 / (view.scale * density) // size of a device pixel in picture pixels
  context.save()
  setViewTransform(context, view, density)
  context.lineJoin = 'round'
  context.lineWidth = isDense ? pixel : lineWidth / view.scale
  const dashes = dash.map((length) => length / view.scale)
  const radius = (isDense ? dotRadius / 2 : dotRadius) / view.scale
  for (const { pieces } of items)
    for (const piece of pieces) drawPiece(context, piece, { pen, radius, dashes, isDense })
  context.restore()
}

/** Sets the transform so that drawing uses picture pixels. */
export function setViewTransform(context: Context, { scale, x, y }: View, density: number): void {
  const zoom = scale * density
  context.setTransform(zoom, 0, 0, zoom, x * density, y * density)
}

interface Style {
  pen: Pen
  radius: number
  dashes: readonly number[]
  isDense: boolean
}

function drawPiece(
  context: Context,
  { outline, color, isDashed }: ObjectPiece,
  style: Style,
): void {
  context.fillStyle = color
  context.strokeStyle = color
  if (isDashed) context.setLineDash([...style.dashes])
  if (outline.form === 'dot') drawDot(context, outline.x, outline.y, style)
  else drawOutline(context, outline, style.pen)
  if (isDashed) context.setLineDash([])
}

type Outlined = Exclude<ShapeOutline, { form: 'dot' }>

function drawOutline(context: Context, outline: Outlined, pen: Pen): void {
  const path = pathOf(outline)
  const isOpen = outline.form === 'line'
  if (!isOpen && pen.opacity > 0) {
    context.globalAlpha = pen.opacity
    context.fill(path)
    context.globalAlpha = 1
  }
  if (isOpen || pen.isOutlined) context.stroke(path)
}

function drawDot(context: Context, x: number, y: number, { radius, isDense }: Style): void {
  if (isDense) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius)
  else {
    context.beginPath()
    context.arc(x, y, radius, 0, 2 * Math.PI)
    context.fill()
  }
}

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
