/**
 * In archives an ellipse is its centre, its right x and its top y, as the de-facto standard has it; here its centre and its radii
 * (`spec/api-workspace.md` 7).
 */
export const toArchiveEllipse = ([x = 0, y = 0, rx = 0, ry = 0]: readonly number[]): number[] => [
  x,
  y,
  x + rx,
  y - ry,
]

/** What was lost by adding comes back by rounding. */
export const fromArchiveEllipse = ([x = 0, y = 0, right = 0, top = 0]: readonly number[]) => [
  x,
  y,
  rounded(right - x),
  rounded(y - top),
]

const digits = 1e9

const rounded = (radius: number) => Math.round(radius * digits) / digits
