import type { Orientation } from './decoder.ts'

/** Part of a display matrix that rotates: the pixel (x, y) is shown at (a x + c y, b x + d y). */
export type DisplayMatrix = readonly [a: number, b: number, c: number, d: number]

/**
 * Returns the orientation of a display matrix, rounded to quarter turns. A mirrored one counts as mirrored left to
 * right and then turned, as in sharp.
 */
export function orientationOf([a, b, c, d]: DisplayMatrix = [1, 0, 0, 1]): Orientation {
  const isMirrored = a * d - b * c < 0
  const [right, down] = isMirrored ? [-a, -b] : [a, b]
  if (Math.abs(right) >= Math.abs(down)) return { isMirrored, turn: right < 0 ? 180 : 0 }
  return { isMirrored, turn: down > 0 ? 90 : 270 }
}

/** Converts a stored size to a displayed size, or back. */
export const turned = <T extends { width: number; height: number }>(
  { width, height }: T,
  { turn }: Orientation,
) => (turn % 180 === 0 ? { width, height } : { width: height, height: width })
