import type { FrameObject } from '../frame/item.ts'
import type { Dimensions } from '../geometry/view.ts'

/** Drawing style of objects. */
export interface Pen {
  /** Opacity of the inside of objects, from 0 to 1. */
  opacity: number
  isOutlined: boolean
}

/** Position of an issue: a box, or the corners of a polygon. */
export interface Remark {
  id: number
  position: readonly number[]
}

/** Content of the screen. */
export interface Scene {
  /** Size of the frame in pixels. */
  size: Dimensions
  /** Undefined when the picture cannot be shown. */
  picture: ImageBitmap | undefined
  /** Objects in drawing order. */
  items: readonly FrameObject[]
  remarks: readonly Remark[]
  pen: Pen
  /** Emphasised objects. */
  selected: FrameObject | undefined
  hovered: FrameObject | undefined
}
