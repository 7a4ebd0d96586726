/** Position of the picture on the screen: a screen point is the picture point times `scale`, plus `x` and `y`. */
export interface View {
  /** CSS pixels of the screen per picture pixel. */
  scale: number
  x: number
  y: number
}

export interface Point {
  x: number
  y: number
}

export interface Dimensions {
  width: number
  height: number
}

const scales = { least: 0.02, most: 64 }
/** Part of the picture that always stays visible, in CSS pixels. */
const kept = 48

/** Fits the whole picture into the room, centred. */
export function fitView(size: Dimensions, room: Dimensions): View {
  const scale = within(
    Math.min(room.width / size.width, room.height / size.height),
    scales.least,
    scales.most,
  )
  return centreView(size, room, scale)
}

/** Centres the picture in the room. */
export function centreView(size: Dimensions, room: Dimensions, scale: number): View {
  return {
    scale,
    x: (room.width - size.width * scale) / 2,
    y: (room.height - size.height * scale) / 2,
  }
}

/** Zooms by `factor`; the screen point `at` keeps its position. */
export function zoomView(view: View, at: Point, factor: number): View {
  const scale = within(view.scale * factor, scales.least, scales.most)
  const ratio = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio }
}

export function moveView(view: View, by: Point): View {
  return { ...view, x: view.x + by.x, y: view.y + by.y }
}

/** Limits a view so that part of the picture stays visible. */
export function keepInSight(view: View, size: Dimensions, room: Dimensions): View {
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

/** Aligns a view to device pixels (`density` per CSS pixel), so that picture pixels match them at 100 %. */
export function onPixels(view: View, density: number): View {
  const whole = (value: number) => Math.round(value * density) / density
  return { scale: view.scale, x: whole(view.x), y: whole(view.y) }
}

/** Returns the scale and position that show a drawing for the view `drawn` in another view. */
export function relateViews(drawn: View, view: View): View {
  const scale = view.scale / drawn.scale
  return { scale, x: view.x - drawn.x * scale, y: view.y - drawn.y * scale }
}

const within = (value: number, least: number, most: number) =>
  Math.max(Math.min(value, Math.max(least, most)), Math.min(least, most))
