import type { Item } from '../frame/item.ts'
import type { Size } from '../geometry/view.ts'

/** How objects are drawn. */
export interface Pen {
  /** How much of the picture what is inside hides: 0 to 1. */
  opacity: number
  isOutlined: boolean
}

/** A place that somebody asked about: a box, or corners of a polygon. */
export interface Remark {
  id: number
  position: readonly number[]
}

/** What is on the screen. */
export interface Scene {
  /** Of the frame, in pixels. */
  size: Size
  /** None where it cannot be shown. */
  picture: ImageBitmap | undefined
  /** In the order in which they are drawn. */
  items: readonly Item[]
  remarks: readonly Remark[]
  pen: Pen
  /** Emphasised. */
  selected: Item | undefined
  hovered: Item | undefined
}
