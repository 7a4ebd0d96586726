import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'

/**
 * Returns a track whose parts all begin on its first frame. A part that begins later gets a copy of its first shape
 * there, outside; the parent shape of a skeleton, which has no position, is moved there.
 *
 * @param track sorted by frame, with at most one shape per frame; every part has a shape
 */
export function normalizeTrack(track: Track): Track {
  const { shapes, elements } = track
  const parts = [track, ...elements]
  const starts = parts.flatMap((one) => [one.frame, one.shapes[0]?.frame ?? one.frame])
  const frame = least(starts)
  return {
    ...track,
    frame,
    shapes: promoteKeyframes(align(shapes, frame)),
    elements: elements.map((one) => ({
      ...one,
      frame,
      shapes: promoteKeyframes(align(one.shapes, frame)),
    })),
  }
}

/** Returns the minimum of numbers; `Math.min` with spread would exceed the maximum number of arguments. */
export const least = (numbers: readonly number[]) =>
  numbers.reduce((a, b) => Math.min(a, b), Infinity)

function align(shapes: readonly TrackShape[], frame: number): TrackShape[] {
  const [first, ...others] = shapes
  if (!first || first.frame === frame) return [...shapes]
  if (first.type === 'skeleton') return [{ ...first, frame }, ...others]
  return [{ ...first, id: null, frame, outside: true, keyframe: true }, ...shapes]
}

/** The first shape is a keyframe, and so is one that appears or disappears. */
function promoteKeyframes(shapes: readonly TrackShape[]): TrackShape[] {
  let isOutside: boolean | undefined
  return shapes.map((shape) => {
    const keyframe = shape.keyframe || shape.outside !== isOutside
    if (keyframe) isOutside = shape.outside
    return keyframe === shape.keyframe ? shape : { ...shape, keyframe }
  })
}
