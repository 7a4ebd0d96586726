/** Converts an ellipse from centre and radii to the form of archives, which is CVAT's: centre, right x and top y. */
export const toArchiveEllipse = ([x = 0, y = 0, rx = 0, ry = 0]: readonly number[]): number[] => [
  x,
  y,
  x + rx,
  y - ry,
]

/** Converts an ellipse back. Rounding removes the floating-point error of the addition. */
export const fromArchiveEllipse = ([x = 0, y = 0, right = 0, top = 0]: readonly number[]) => [
  x,
  y,
  rounded(right - x),
  rounded(y - top),
]

const digits = 1e9

const rounded = (radius: number) => Math.round(radius * digits) / digits
