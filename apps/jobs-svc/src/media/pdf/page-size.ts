/** Resolution of drawn pages, the same as in CVAT. */
const dotsPerInch = 200
const pointsPerInch = 72

/** A page of A0 fits, 6,622 x 9,362; a larger one is drawn with a lower resolution. */
export const mostPagePixels = 2 ** 26
/** Limit of a JPEG, the format of compressed frames. */
const mostSidePixels = 65_535

interface Size {
  width: number
  height: number
}

/**
 * Returns the size of a page in pixels at 200 dots per inch. A larger page than the limit is scaled down
 * proportionally, because its content matters more than its size.
 *
 * @param points size in 1/72 inch, rotated as the page is displayed
 * @returns undefined for a page without an extent
 */
export function pixelsOf({ width, height }: Size): Size | undefined {
  if (!(width > 0 && height > 0 && Number.isFinite(width * height))) return undefined
  const usual = dotsPerInch / pointsPerInch
  const scale = Math.min(
    usual,
    Math.sqrt(mostPagePixels / (width * height)),
    mostSidePixels / Math.max(width, height),
  )
  const round = scale < usual ? Math.floor : Math.round
  const pixels = (points: number) => Math.max(1, round(points * scale))
  return { width: pixels(width), height: pixels(height) }
}
