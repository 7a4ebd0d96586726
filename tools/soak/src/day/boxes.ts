import type { AnyJson } from '@reticle/tests/support/client'
import type { Random } from '@reticle/tests/support/random'
import type { DayTask, DrawnBox } from './ledger.ts'

/** Rectangles that do not touch each other, so that no format merges two of them. */

const width = 200
const side = 20
const perRow = width / side
/** Number of boxes that fit on a frame. */
export const boxesPerFrame = 5 * perRow

/** Size of the images in pixels. */
export const size = { width, height: (boxesPerFrame / perRow) * side }

/** Returns a free cell on a frame of a job, or undefined. */
export function freeBox(
  { boxes, frames, jobs }: DayTask,
  job: number,
  random: Random,
): DrawnBox | undefined {
  const at = jobs.findIndex(({ id }) => id === job)
  const first = jobs[at]?.start_frame ?? 0
  const last = (jobs[at + 1]?.start_frame ?? frames) - 1
  const taken = new Set([...boxes.values()].map(nameOf))
  const free: DrawnBox[] = []
  for (let frame = first; frame <= last; frame++)
    for (let cell = 0; cell < boxesPerFrame; cell++) {
      const box = { frame, points: pointsAt(cell, random) }
      if (!taken.has(nameOf(box))) free.push(box)
    }
  return free.length > 0 ? random.pick(free) : undefined
}

/** Whole numbers, which every format preserves. */
function pointsAt(cell: number, random: Random): number[] {
  const [left, top] = [(cell % perRow) * side + 2, Math.floor(cell / perRow) * side + 2]
  return [left, top, left + 8 + random.below(8), top + 8 + random.below(8)]
}

/** Returns a name made of its frame and cell. */
export const nameOf = ({ frame, points: [left = 0, top = 0] }: DrawnBox): string =>
  `${frame} ${Math.floor((left + 1) / side)} ${Math.floor((top + 1) / side)}`

/** Returns the bounding boxes of all shapes and tracks, in whichever form a format has written them. */
export function boxesOf({ shapes, tracks = [] }: AnyJson): DrawnBox[] {
  const drawn = tracks.flatMap((track: AnyJson) =>
    track.shapes.filter((one: AnyJson) => !one.outside),
  )
  return [...shapes, ...drawn].map(({ frame, type, points }: AnyJson) => ({
    frame,
    points: type === 'mask' ? points.slice(-4) : bounds(points),
  }))
}

function bounds(points: readonly number[]): number[] {
  const [xs, ys] = [0, 1].map((axis) => points.filter((_, at) => at % 2 === axis))
  if (!xs || !ys) return []
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** Tolerance for formats that store pixels instead of edges. */
const near = 1.5

/** Lists boxes that are missing, unexpected or moved; empty if both are the same. */
export function listBoxDifferences(
  expected: Iterable<DrawnBox>,
  found: readonly DrawnBox[],
): string[] {
  const byName = new Map<string, DrawnBox>()
  const wrong: string[] = []
  for (const one of found) {
    if (byName.has(nameOf(one))) wrong.push('a duplicated shape')
    byName.set(nameOf(one), one)
  }
  for (const one of expected) {
    const there = byName.get(nameOf(one))
    byName.delete(nameOf(one))
    if (!there) wrong.push('a lost shape')
    else if (there.points.some((value, at) => Math.abs(value - (one.points[at] ?? 0)) > near))
      wrong.push('a moved shape')
  }
  if (byName.size > 0) wrong.push(...Array(byName.size).fill('an unexpected shape'))
  return wrong
}
