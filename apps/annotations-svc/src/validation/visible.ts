import type { Track } from '@reticle/contracts/rest/annotations'
import { firstVisible } from '@reticle/geometry'

/** Visibility of tracks, after `normalizeTrack`. */

/** Of a skeleton only the elements are visible. */
const partsSeen = (track: Track) => (track.elements.length > 0 ? track.elements : [track])

/** Returns the first frame in a range, inclusive, on which a track or any part of it is visible. */
export function firstSeen(track: Track, first: number, last: number): number | undefined {
  const frames = partsSeen(track).flatMap(({ shapes }) => firstVisible(shapes, first, last) ?? [])
  return frames.length > 0 ? frames.reduce((a, b) => Math.min(a, b)) : undefined
}

/** Returns whether a track, or any part of it, is visible after its last keyframe. */
export const wasVisible = (track: Track) =>
  partsSeen(track).some((part) => part.shapes.at(-1)?.outside === false)

/** Returns the last frame on which any part of a track has a shape. */
export const lastFrame = (track: Track) =>
  [track, ...track.elements].reduce(
    (last, { shapes }) => Math.max(last, shapes.at(-1)?.frame ?? last),
    track.frame,
  )

/** Returns whether all shapes of a track lie in a range of frames, inclusive. */
export const isWithin = (track: Track, first: number, last: number) =>
  track.frame >= first && lastFrame(track) <= last
