/** Boxes as shares of their picture: centre and size, as the files of the YOLO family have them (spec/formats.md 9). */
import { round2 } from '@reticle/geometry'

export interface PictureSize {
  width: number
  height: number
}

/** Centre x, centre y, width and height. */
export type RelativeBox = readonly [cx: number, cy: number, width: number, height: number]

/** Of a rectangle's points in pixels. */
export function relativeBox(
  points: readonly number[],
  { width, height }: PictureSize,
): RelativeBox {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points
  const [cx, boxWidth] = shareOf(x1, x2, width)
  const [cy, boxHeight] = shareOf(y1, y2, height)
  return [cx, cy, boxWidth, boxHeight]
}

/** The points in pixels. Files have six decimals: hundredths of a pixel that read the same are what was meant. */
export function pixelBox([cx, cy, boxWidth, boxHeight]: RelativeBox, size: PictureSize): number[] {
  const [x1, x2] = pixelsOf(cx, boxWidth, size.width)
  const [y1, y2] = pixelsOf(cy, boxHeight, size.height)
  return [x1, y1, x2, y2]
}

/** Six decimals for each. */
export const relativeText = (box: RelativeBox): string =>
  box.map((share) => share.toFixed(6)).join(' ')

type Pair = readonly [number, number]

const shareOf = (from: number, to: number, length: number): Pair => [
  (from + to) / 2 / length,
  (to - from) / length,
]

function pixelsOf(centre: number, extent: number, length: number): Pair {
  const exact: Pair = [(centre - extent / 2) * length, (centre + extent / 2) * length]
  const rounded: Pair = [round2(exact[0]) + 0, round2(exact[1]) + 0] // zero has no sign
  const [centreAgain, extentAgain] = shareOf(...rounded, length)
  return isAlike(centreAgain, centre) && isAlike(extentAgain, extent) ? rounded : exact
}

/** Half of the sixth decimal, and a little for what floats lose on the way. */
const isAlike = (a: number, b: number): boolean => Math.abs(a - b) <= 5.000001e-7
