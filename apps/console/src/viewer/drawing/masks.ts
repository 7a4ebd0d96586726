import type { FrameObject } from '../frame/item.ts'
import { paintMask, pixelsFor } from '../geometry/mask.ts'
import { pixelOf } from './colours.ts'

/**
 * All masks of a frame, one pixel per picture pixel. Overlaps are resolved here; the opacity is applied when the
 * layer is shown.
 */
export interface MaskLayer {
  left: number
  top: number
  canvas: OffscreenCanvas
}

export function paintMasks(items: readonly FrameObject[]): MaskLayer | undefined {
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
