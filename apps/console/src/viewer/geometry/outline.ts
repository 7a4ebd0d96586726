/** Basic forms of shapes, in picture pixels. */
export type ShapeOutline =
  /** Closed and filled. */
  | { form: 'ring'; points: readonly number[] }
  /** Open; x and y of each corner. */
  | { form: 'line'; points: readonly number[] }
  /** `angle` is clockwise, in radians. */
  | { form: 'ellipse'; x: number; y: number; rx: number; ry: number; angle: number }
  | { form: 'dot'; x: number; y: number }

/** Rectangle between two corners, both inclusive. */
export interface PictureBox {
  left: number
  top: number
  right: number
  bottom: number
}

export function boxOf(outline: ShapeOutline): PictureBox {
  if (outline.form === 'dot')
    return { left: outline.x, right: outline.x, top: outline.y, bottom: outline.y }
  if (outline.form === 'ellipse') return boxOfEllipse(outline)
  return boxOfPoints(outline.points)
}

export function boxOfPoints(points: readonly number[]): PictureBox {
  const box = { ...emptyBox }
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]]
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y)
  }
  return box
}

function boxOfEllipse({ x, y, rx, ry, angle }: ShapeOutline & { form: 'ellipse' }): PictureBox {
  const across = Math.hypot(rx * Math.cos(angle), ry * Math.sin(angle))
  const down = Math.hypot(rx * Math.sin(angle), ry * Math.cos(angle))
  return { left: x - across, right: x + across, top: y - down, bottom: y + down }
}

/** Empty box, the neutral element of `joined`. */
export const emptyBox: Readonly<PictureBox> = {
  left: Number.POSITIVE_INFINITY,
  top: Number.POSITIVE_INFINITY,
  right: Number.NEGATIVE_INFINITY,
  bottom: Number.NEGATIVE_INFINITY,
}

export function joinBoxes(one: PictureBox, other: PictureBox): PictureBox {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

export function isTouching(one: PictureBox, other: PictureBox): boolean {
  return (
    one.left <= other.right &&
    one.right >= other.left &&
    one.top <= other.bottom &&
    one.bottom >= other.top
  )
}

/** Returns the area in square picture pixels; 0 for an empty box. */
export function areaOf({ left, top, right, bottom }: PictureBox): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top)
}
