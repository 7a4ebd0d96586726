import { useState } from 'react'
import {
  centred,
  fitted,
  inSight,
  moved,
  type Point,
  type Size,
  type View,
  zoomed,
} from '../geometry/view.ts'

/** Returns the view of the picture: fitted until the user moves it, and again for a picture of another size. */
export function useView(size: Size, room: Size) {
  const [kept, keep] = useState<{ view: View; size: Size }>()
  const viewOf = (from: typeof kept) =>
    from?.size.width === size.width && from.size.height === size.height
      ? inSight(from.view, size, room)
      : fitted(size, room)
  const change = (to: (view: View) => View) =>
    keep((before) => ({ view: inSight(to(viewOf(before)), size, room), size }))
  return {
    view: viewOf(kept),
    move: (by: Point) => change((view) => moved(view, by)),
    /** Zooms about a screen point; default: the centre. */
    zoom: (factor: number, at: Point = { x: room.width / 2, y: room.height / 2 }) =>
      change((view) => zoomed(view, at, factor)),
    fit: () => keep(undefined),
    /** Shows the picture at 100 %. */
    full: () => keep({ view: centred(size, room, 1), size }),
  }
}
