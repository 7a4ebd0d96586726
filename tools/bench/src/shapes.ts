/**
 * The set "S100" of the storage measurements: 100,000 shapes on 2,000 frames, 59,658 rectangles, 35,281 polygons of 18
 * to 26 vertices and 5,061 masks of 200 runs, from a fixed seed.
 */
export const frameCount = 2000
export const shapeCount = 100_000
const polygonsFrom = 59_658
const masksFrom = 94_939
const runs = 200

export interface ShapeSetOptions {
  labelId: number
  /** Number of shapes, by default 100,000; a smaller set has the same share of each kind. */
  count?: number
  /** Number of frames. */
  frames?: number
  firstFrame?: number
  /**
   * Side in pixels of the square around whose centre polygons go, as people draw them; by default they criss-cross the
   * whole image.
   */
  side?: number
}

/** Returns the set as one text. */
export function annotationBody(given: ShapeSetOptions): string {
  return [...annotationPieces(given)].join('')
}

/** Generates the set in pieces, since it can be longer than the longest string. Beyond 100,000 the kinds repeat. */
export function* annotationPieces({
  labelId,
  count = shapeCount,
  frames = frameCount,
  firstFrame = 0,
  side,
}: ShapeSetOptions): Generator<string> {
  const next = numbers(100)
  const step = Math.max(1, shapeCount / count)
  yield '{"version":0,"tags":[],"tracks":[],"shapes":['
  for (let at = 0; at < count; at++) {
    const index = Math.floor(at * step)
    const { type, points } = geometry(index % shapeCount, next, side)
    const shape = {
      type,
      frame: firstFrame + ((index * 7919) % frames),
      label_id: labelId,
      points,
      occluded: index % 9 === 0,
      z_order: index % 3,
    }
    yield `${at === 0 ? '' : ','}${JSON.stringify(shape)}`
  }
  yield ']}'
}

/** Generates boxes in images of 320 x 240 pixels, the same number on each frame. */
export function* boxPieces({
  labelId: label_id,
  count,
  frames,
}: Required<Pick<ShapeSetOptions, 'labelId' | 'count' | 'frames'>>): Generator<string> {
  const next = numbers(200)
  yield '{"version":0,"tags":[],"tracks":[],"shapes":['
  for (let at = 0; at < count; at++) {
    const [x, y] = [next(280), next(200)]
    const points = [x, y, x + 1 + next(38), y + 1 + next(38)]
    const shape = { type: 'rectangle', frame: at % frames, label_id, points }
    yield `${at === 0 ? '' : ','}${JSON.stringify(shape)}`
  }
  yield ']}'
}

type Next = (below: number) => number

function geometry(
  index: number,
  next: Next,
  side: number | undefined,
): { type: string; points: number[] } {
  if (index < polygonsFrom) {
    const [x, y] = [next(1500), next(800)]
    return { type: 'rectangle', points: [x, y, x + 1 + next(300), y + 1 + next(200)] }
  }
  if (index < masksFrom) {
    const corners = 18 + (index % 9)
    const points =
      side === undefined
        ? Array.from({ length: 2 * corners }, () => next(1900))
        : ring(corners, side, next)
    return { type: 'polygon', points }
  }
  return { type: 'mask', points: mask(next) }
}

function ring(corners: number, side: number, next: Next): number[] {
  const middle = side / 2 + next(1000 - side)
  return Array.from({ length: corners }, (_, at) => (2 * Math.PI * at) / corners).flatMap(
    (angle) => {
      const radius = side / 4 + next(side / 4)
      return [Math.cos(angle), Math.sin(angle)].map((part) => hundredths(middle + radius * part))
    },
  )
}

const hundredths = (value: number): number => Math.round(value * 100) / 100

/** Builds a mask of 100 x 100 pixels in 200 runs of 50. */
function mask(next: Next): number[] {
  const [left, top] = [Math.floor(next(1800)), Math.floor(next(900))]
  return [...Array.from({ length: runs }, () => 50), left, top, left + 99, top + 99]
}

/** Numbers with two decimals, as a canvas sends them (linear congruential generator, Numerical Recipes). */
function numbers(seed: number): Next {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.round((state / 2 ** 32) * below * 100) / 100
  }
}
