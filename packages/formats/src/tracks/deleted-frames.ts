/** Finds tracks that an export leaves out because all frames on which they are visible were deleted. */
import { firstVisible } from '@reticle/geometry'
import type { DatasetTrackShape } from '../model/dataset.ts'

interface Frames {
  /** Ascending frame numbers. */
  present: readonly number[]
  deleted: ReadonlySet<number>
}

/**
 * Creates a search for the first deleted frame on which a track is visible. The search returns undefined when the
 * track is visible on a present frame.
 * @returns a function of the shapes of a track, sorted by frame, and the last frame of the track
 */
export function createDeletedFrameSearch({ present, deleted }: Frames) {
  const isPresent = new Set(present)
  return (shapes: readonly DatasetTrackShape[], stop: number): number | undefined => {
    const stored = shapes.filter(({ outside }) => !outside).map(({ frame }) => frame)
    if (stored.some((frame) => isPresent.has(frame))) return undefined
    const missing = visibleBetween(shapes, stop, present)
    return missing && [...stored, ...missing].find((frame) => deleted.has(frame))
  }
}

/**
 * Returns the first frames of visible stretches between present frames; undefined when the track is visible on a
 * present frame.
 */
function visibleBetween(
  shapes: readonly DatasetTrackShape[],
  stop: number,
  present: readonly number[],
): number[] | undefined {
  const missing: number[] = []
  for (let from: number | undefined = 0; from !== undefined; ) {
    const frame = firstVisible(shapes, from, stop)
    if (frame === undefined) return missing
    const next = nextFrom(present, frame)
    if (next === frame) return undefined
    missing.push(frame)
    from = next
  }
  return missing
}

/** Returns the first present frame at or after `frame`. */
function nextFrom(present: readonly number[], frame: number): number | undefined {
  let [from, to] = [0, present.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((present[middle] ?? 0) < frame) from = middle + 1
    else to = middle
  }
  return present[from]
}
