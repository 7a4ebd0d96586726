import type { FrameObject } from '../frame/item.ts'
import { isTouching } from '../geometry/outline.ts'
import {
  type Dimensions,
  moveView,
  onPixels,
  relateViews,
  toPicture,
  type View,
} from '../geometry/view.ts'
import type { Pen } from './scene.ts'
import { drawItems } from './shapes.ts'

/** Margin that is drawn beyond each edge, as a fraction of the screen, so that small pans need no redraw. */
const margin = 0.25

/** Size of the screen in CSS pixels, and device pixels per CSS pixel. */
export interface Screen extends Dimensions {
  density: number
}

/** Creates a layer that caches drawn objects, so that other views can show them until they are redrawn. */
export function openLayer() {
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext('2d')
  let drawn: { view: View; screen: Screen; count: number } | undefined

  function draw(items: readonly FrameObject[], view: View, screen: Screen, pen: Pen): void {
    const within = onPixels(moveView(view, edgeOf(screen)), screen.density)
    const far = farOf(screen)
    canvas.width = Math.ceil(far.x * screen.density)
    canvas.height = Math.ceil(far.y * screen.density)
    const visible = items.filter(isVisibleIn(within, screen))
    if (context) drawItems(context, visible, within, screen.density, pen)
    drawn = { view: within, screen, count: visible.length }
  }

  function show(target: CanvasRenderingContext2D, view: View): void {
    if (!drawn) return
    const { scale, x, y } = relateViews(drawn.view, view)
    const { density } = drawn.screen
    target.setTransform(scale, 0, 0, scale, x * density, y * density)
    target.imageSmoothingEnabled = scale !== 1
    target.drawImage(canvas, 0, 0)
  }

  return {
    draw,
    show,
    /** Returns the number of objects in the last drawing. */
    count: () => drawn?.count ?? 0,
    /** Returns whether the drawing contains everything visible in a view, apart from sharpness. */
    covers: (view: View) => drawn !== undefined && isCovered(drawn, view),
    /** Returns whether the drawing has the scale of a view. */
    hasScale: (view: View) => drawn?.view.scale === view.scale,
  }
}

const edgeOf = ({ width, height }: Dimensions) => ({ x: width * margin, y: height * margin })
const farOf = ({ width, height }: Dimensions) => ({
  x: width * (1 + 2 * margin),
  y: height * (1 + 2 * margin),
})

function isVisibleIn(view: View, screen: Dimensions) {
  const { x: left, y: top } = toPicture(view, { x: 0, y: 0 })
  const { x: right, y: bottom } = toPicture(view, farOf(screen))
  return ({ box }: FrameObject) => isTouching(box, { left, top, right, bottom })
}

function isCovered({ view: drawn, screen }: { view: View; screen: Screen }, view: View): boolean {
  const { scale, x, y } = relateViews(drawn, view)
  const far = farOf(screen)
  const [right, bottom] = [x + far.x * scale, y + far.y * scale]
  return x <= 0 && y <= 0 && right >= screen.width && bottom >= screen.height
}
