import type { FrameObject } from '../frame/item.ts'
import type { IssueMark } from './scene.ts'
import { pathOf } from './shapes.ts'

/** Emphasises an object, in picture pixels. `pixel` is the size of a CSS pixel in picture pixels. */
export function drawEmphasis(
  context: CanvasRenderingContext2D,
  item: FrameObject,
  pixel: number,
): void {
  for (const [color, width] of [
    ['#000000', 6],
    ['#ffffff', 4],
    [item.color, 2],
  ] as const) {
    context.strokeStyle = color
    context.lineWidth = width * pixel
    strokeItem(context, item, pixel)
  }
}

function strokeItem(context: CanvasRenderingContext2D, item: FrameObject, pixel: number): void {
  const { left, top, right, bottom } = item.box
  if (item.mask) context.strokeRect(left, top, right - left, bottom - top)
  for (const outline of item.outlines) {
    if (outline.form !== 'dot') context.stroke(pathOf(outline))
    else {
      context.beginPath()
      context.arc(outline.x, outline.y, 5 * pixel, 0, 2 * Math.PI)
      context.stroke()
    }
  }
}

const issueColor = '#ff8c00'

/** Draws the position of an issue with its number. */
export function drawIssue(
  context: CanvasRenderingContext2D,
  { id, position }: IssueMark,
  pixel: number,
): void {
  const [left = 0, top = 0, right = 0, bottom = 0] = position
  const isBox = position.length === 4
  const points = isBox ? [left, top, right, top, right, bottom, left, bottom] : position
  context.setLineDash([2 * pixel, 3 * pixel])
  context.lineWidth = 2 * pixel
  context.strokeStyle = issueColor
  context.stroke(pathOf({ form: 'ring', points }))
  context.setLineDash([])
  context.font = `bold ${14 * pixel}px sans-serif`
  context.fillStyle = issueColor
  context.fillText(`? ${id}`, left, top - 4 * pixel)
}
