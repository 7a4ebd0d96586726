/** Of drawn pages, as the de-facto standard does it. */
const dotsPerInch = 200
const pointsPerInch = 72

/** A page of A0 fits, 6,622 x 9,362; a larger one is drawn with fewer dots to the inch. */
export const mostPagePixels = 2 ** 26
/** More have no place in a JPEG, which chunks are made of. */
const mostSidePixels = 65_535

interface Size {
  width: number
  height: number
}

/**
 * Pixels of a page: 200 to the inch. One that would have too many is drawn smaller, in its proportions, since people want to see
 * the sheet and not its size.
 *
 * @param points 1/72 inch, turned as the page is shown
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
