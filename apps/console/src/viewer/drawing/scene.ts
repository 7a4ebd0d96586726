import type { FrameObject } from '../frame/item.ts'
import type { Dimensions } from '../geometry/view.ts'

/** Drawing style of objects. */
export interface Pen {
  /** Opacity of the inside of objects, from 0 to 1. */
  opacity: number
  isOutlined: boolean
}

/** Issue that is drawn on the frame. */
export interface IssueMark {
  id: number
  /** A box as left, top, right and bottom, or the corners of a polygon. */
  position: readonly number[]
}

/** Content of the canvas. */
export interface Scene {
  /** Size of the frame in pixels. */
  size: Dimensions
  /** Undefined while the picture is loaded, or if it cannot be shown. */
  picture: ImageBitmap | undefined
  /** Objects in drawing order. */
  items: readonly FrameObject[]
  issues: readonly IssueMark[]
  pen: Pen
  /** Objects that are drawn with emphasis: the selected one, and the one under the pointer. */
  selected: FrameObject | undefined
  hovered: FrameObject | undefined
}
