import type { Orientation } from './decoder.ts'

/** The part of a display matrix that turns: the pixel (x, y) is shown at (a x + c y, b x + d y). */
export type DisplayMatrix = readonly [a: number, b: number, c: number, d: number]

/**
 * How a display matrix turns pictures, to the nearest quarter: a mirrored one is taken as mirrored left to right and then
 * turned, as sharp does it.
 */
export function orientationOf([a, b, c, d]: DisplayMatrix = [1, 0, 0, 1]): Orientation {
  const isMirrored = a * d - b * c < 0
  const [right, down] = isMirrored ? [-a, -b] : [a, b]
  if (Math.abs(right) >= Math.abs(down)) return { isMirrored, turn: right < 0 ? 180 : 0 }
  return { isMirrored, turn: down > 0 ? 90 : 270 }
}

/** Pixels as stored from pixels as seen, or the other way round. */
export const turned = <T extends { width: number; height: number }>(
  { width, height }: T,
  { turn }: Orientation,
) => (turn % 180 === 0 ? { width, height } : { width: height, height: width })
