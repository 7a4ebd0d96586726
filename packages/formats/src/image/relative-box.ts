/** Boxes relative to their image: centre and size, as in files of the YOLO family. */
import { round2 } from '@reticle/geometry'

export interface PictureSize {
  width: number
  height: number
}

/** Centre x, centre y, width and height. */
export type RelativeBox = readonly [cx: number, cy: number, width: number, height: number]

/**
 * Formats the points of a rectangle in pixels as relative values with six decimals. The box is clipped to the image,
 * because readers drop all boxes of an image when a value, or an edge computed from them, is below 0 or above 1.
 * @returns undefined for a box without area in the image
 */
export function relativeText(
  points: readonly number[],
  { width, height }: PictureSize,
): { text: string; isClipped: boolean } | undefined {
  const [left = 0, top = 0, right = 0, bottom = 0] = points
  const within = [clip(left, width), clip(top, height), clip(right, width), clip(bottom, height)]
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = within
  const [cx, boxWidth] = millionthsOf(x1, x2, width)
  const [cy, boxHeight] = millionthsOf(y1, y2, height)
  if (boxWidth <= 0 || boxHeight <= 0) return undefined
  const shares = [cx, cy, boxWidth, boxHeight].map((value) => (value / million).toFixed(6))
  return { text: shares.join(' '), isClipped: within.some((side, at) => side !== points[at]) }
}

/**
 * Converts a relative box to points in pixels. Files have six decimals, so if rounding to hundredths of a pixel gives
 * the same relative values, the rounded points are returned.
 */
export function pixelBox([cx, cy, boxWidth, boxHeight]: RelativeBox, size: PictureSize): number[] {
  const [x1, x2] = pixelsOf(cx, boxWidth, size.width)
  const [y1, y2] = pixelsOf(cy, boxHeight, size.height)
  return [x1, y1, x2, y2]
}

type Pair = readonly [number, number]

const million = 1_000_000

const clip = (side: number, length: number): number => Math.min(length, Math.max(0, side))

const shareOf = (from: number, to: number, length: number): Pair => [
  (from + to) / 2 / length,
  (to - from) / length,
]

/**
 * Returns centre and extent in whole millionths. For a side within the image, both ends computed from these are
 * within it as well.
 */
function millionthsOf(from: number, to: number, length: number): Pair {
  const [centre, extent] = shareOf(from, to, length).map((share) => Math.round(share * million))
  const [middle = 0, size = 0] = [centre, extent]
  const isInside = from >= 0 && to <= length
  return [middle, isInside ? Math.min(size, 2 * middle, 2 * (million - middle)) : size]
}

function pixelsOf(centre: number, extent: number, length: number): Pair {
  const exact: Pair = [(centre - extent / 2) * length, (centre + extent / 2) * length]
  const rounded: Pair = [round2(exact[0]) + 0, round2(exact[1]) + 0] // converts -0 to 0
  const [centreAgain, extentAgain] = shareOf(...rounded, length)
  const isMeant = isAlike(centreAgain, centre) && isAlike(extentAgain, extent)
  return isMeant || isWrittenFor(rounded, centre, extent, length) ? rounded : exact
}

/** Half of the sixth decimal, plus a margin for floating-point error. */
const isAlike = (a: number, b: number): boolean => Math.abs(a - b) <= 5.000001e-7

/** Returns whether an export of these pixels has exactly these values: next to an edge the extent is rounded down. */
function isWrittenFor([from, to]: Pair, centre: number, extent: number, length: number): boolean {
  const [middle, size] = millionthsOf(from, to, length)
  const isSame = (value: number, share: number) => Math.abs(value / million - share) < 1e-9
  return isSame(middle, centre) && isSame(size, extent)
}
