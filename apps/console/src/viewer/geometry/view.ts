/** How the picture lies on the screen: a point of the screen is the point of the picture times `scale`, moved by `x` and `y`. */
export interface View {
  /** CSS pixels of the screen per pixel of the picture. */
  scale: number
  x: number
  y: number
}

export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

const scales = { least: 0.02, most: 64 }
/** So much of the picture stays in sight, in CSS pixels. */
const kept = 48

/** The whole picture, in the middle of the room. */
export function fitted(size: Size, room: Size): View {
  const scale = within(
    Math.min(room.width / size.width, room.height / size.height),
    scales.least,
    scales.most,
  )
  return centred(size, room, scale)
}

/** The middle of the picture in the middle of the room. */
export function centred(size: Size, room: Size, scale: number): View {
  return {
    scale,
    x: (room.width - size.width * scale) / 2,
    y: (room.height - size.height * scale) / 2,
  }
}

/** Larger or smaller by `factor`; what is at `at` of the screen stays there. */
export function zoomed(view: View, at: Point, factor: number): View {
  const scale = within(view.scale * factor, scales.least, scales.most)
  const ratio = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }
}

export function moved(view: View, by: Point): View {
  return { ...view, x: view.x + by.x, y: view.y + by.y }
}

/** The same, but never with the picture out of sight. */
export function inSight(view: View, size: Size, room: Size): View {
  return {
    scale: view.scale,
    x: within(view.x, kept - size.width * view.scale, room.width - kept),
    y: within(view.y, kept - size.height * view.scale, room.height - kept),
  }
}

export function toPicture({ scale, x, y }: View, at: Point): Point {
  return { x: (at.x - x) / scale, y: (at.y - y) / scale }
}

export function toScreen({ scale, x, y }: View, at: Point): Point {
  return { x: at.x * scale + x, y: at.y * scale + y }
}

/** On whole pixels of a screen with `density` of them per CSS pixel, so that pixels of the picture fall on them at 100 %. */
export function onPixels(view: View, density: number): View {
  const whole = (value: number) => Math.round(value * density) / density
  return { scale: view.scale, x: whole(view.x), y: whole(view.y) }
}

/** What `drawn` shows, moved so that it lies as in `view`: how it is to be scaled and where its corner comes. */
export function between(drawn: View, view: View): View {
  const scale = view.scale / drawn.scale
  return { scale, x: view.x - drawn.x * scale, y: view.y - drawn.y * scale }
}

const within = (value: number, least: number, most: number) =>
  Math.max(Math.min(value, Math.max(least, most)), Math.min(least, most))
