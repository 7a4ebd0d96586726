import type { FrameObject } from '../frame/item.ts'
import { paintMask, pixelsFor } from '../geometry/mask.ts'
import { onPixels, type View } from '../geometry/view.ts'
import { openLayer, type Screen } from './layer.ts'
import { drawEmphasis, drawIssue } from './marks.ts'
import type { Scene } from './scene.ts'
import { setViewTransform } from './shapes.ts'

/** Number of objects that can be redrawn in every animation frame; more are redrawn when the view rests. */
const few = 800
const restMs = 120
/** Scale from which picture pixels are drawn without smoothing. */
const crisp = 2

export type Painter = ReturnType<typeof openPainter>

/** Draws a scene on a canvas, at most once per animation frame. */
export function openPainter(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d')
  const layer = openLayer()
  let masks: MaskLayer | undefined
  let shown: { scene: Scene; view: View; screen: Screen } | undefined
  let [isStale, frame, rest] = [true, 0, 0]

  function show(scene: Scene, view: View, screen: Screen): void {
    const before = shown
    shown = { scene, view: onPixels(view, screen.density), screen }
    if (before?.scene.items !== scene.items) masks = paintMasks(scene.items)
    const isSame = before?.scene.items === scene.items && before.scene.pen === scene.pen
    if (!isSame || before.screen !== screen) isStale = true
    frame ||= requestAnimationFrame(paint)
  }

  function paint(): void {
    frame = 0
    if (!context || !shown) return
    const { scene, view, screen } = shown
    renew(shown)
    resizeCanvas(canvas, screen)
    context.clearRect(0, 0, canvas.width, canvas.height)
    setViewTransform(context, view, screen.density)
    drawPicture(context, scene, masks, view.scale * screen.density)
    layer.show(context, view)
    setViewTransform(context, view, screen.density)
    for (const issue of scene.issues) drawIssue(context, issue, 1 / view.scale)
    for (const item of [scene.hovered, scene.selected])
      if (item) drawEmphasis(context, item, 1 / view.scale)
    context.resetTransform()
  }

  /** Redraws the objects if necessary, or schedules it for when the view rests. */
  function renew({ scene, view, screen }: NonNullable<typeof shown>): void {
    clearTimeout(rest)
    const hasScale = layer.hasScale(view)
    if (!isStale && hasScale && layer.covers(view)) return
    // a pan must show all objects at once; during a zoom some may be missing for a moment
    if (isStale || hasScale || layer.count() <= few) {
      layer.draw(scene.items, view, screen, scene.pen)
      isStale = false
    } else rest = window.setTimeout(redraw, restMs)
  }

  function redraw(): void {
    isStale = true
    frame ||= requestAnimationFrame(paint)
  }

  function close(): void {
    cancelAnimationFrame(frame)
    clearTimeout(rest)
  }
  return { show, close }
}

/** Rounds to device pixels, because a canvas that the browser stretches is blurred. */
function resizeCanvas(canvas: HTMLCanvasElement, { width, height, density }: Screen): void {
  const [wide, high] = [Math.round(width * density), Math.round(height * density)]
  if (canvas.width !== wide) canvas.width = wide
  if (canvas.height !== high) canvas.height = high
  canvas.style.width = `${wide / density}px`
  canvas.style.height = `${high / density}px`
}

function drawPicture(
  context: CanvasRenderingContext2D,
  { picture, size, pen }: Scene,
  masks: MaskLayer | undefined,
  scale: number,
): void {
  context.imageSmoothingEnabled = scale < crisp
  if (picture) context.drawImage(picture, 0, 0, size.width, size.height)
  if (!masks) return
  context.imageSmoothingEnabled = false
  context.globalAlpha = pen.opacity
  context.drawImage(masks.canvas, masks.left, masks.top)
  context.globalAlpha = 1
}

/**
 * All masks of a frame, one pixel per picture pixel. Overlaps are resolved here; the opacity is applied when the
 * layer is shown.
 */
interface MaskLayer {
  left: number
  top: number
  canvas: OffscreenCanvas
}

function paintMasks(items: readonly FrameObject[]): MaskLayer | undefined {
  const masked = items.flatMap(({ mask, color }) => (mask ? [{ mask, color }] : []))
  const pixels = pixelsFor(masked.map(({ mask }) => mask))
  if (!pixels) return undefined
  for (const { mask, color } of masked) paintMask(pixels, mask, pixelOf(color))
  const { left, top, width, height, data } = pixels
  const canvas = new OffscreenCanvas(width, height)
  const image = new ImageData(new Uint8ClampedArray(data.buffer), width, height)
  canvas.getContext('2d')?.putImageData(image, 0, 0)
  return { left, top, canvas }
}

/** Converts `#rrggbb` to an opaque pixel of ImageData; any other text is grey. */
function pixelOf(color: string): number {
  const [, hex = '888888'] = /^#([\da-f]{6})$/i.exec(color) ?? []
  const bytes = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return new Uint32Array(Uint8Array.of(...bytes, 255).buffer)[0] ?? 0
}
