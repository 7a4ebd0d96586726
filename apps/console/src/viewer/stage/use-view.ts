import { useState } from 'react'
import {
  centreView,
  type Dimensions,
  fitView,
  keepInSight,
  moveView,
  type Point,
  type View,
  zoomView,
} from '../geometry/view.ts'

/** Returns the view of the picture: fitted until the user moves it, and again for a picture of another size. */
export function useView(size: Dimensions, room: Dimensions) {
  const [kept, keep] = useState<{ view: View; size: Dimensions }>()
  const viewOf = (from: typeof kept) =>
    from?.size.width === size.width && from.size.height === size.height
      ? keepInSight(from.view, size, room)
      : fitView(size, room)
  const change = (to: (view: View) => View) =>
    keep((before) => ({ view: keepInSight(to(viewOf(before)), size, room), size }))
  return {
    view: viewOf(kept),
    move: (by: Point) => change((view) => moveView(view, by)),
    /** Zooms about a screen point; default: the centre. */
    zoom: (factor: number, at: Point = { x: room.width / 2, y: room.height / 2 }) =>
      change((view) => zoomView(view, at, factor)),
    fit: () => keep(undefined),
    /** Shows the picture at 100 %. */
    full: () => keep({ view: centreView(size, room, 1), size }),
  }
}
