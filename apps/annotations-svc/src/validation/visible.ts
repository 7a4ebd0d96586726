import type { Track } from '@reticle/contracts/rest/annotations'
import { firstVisible } from '@reticle/geometry'

/** Where a track is to be seen. All of it is about tracks as `normalizeTrack` leaves them. */

/** Of a skeleton its elements are seen, not itself. */
const partsSeen = (track: Track) => (track.elements.length > 0 ? track.elements : [track])

/** The first frame of some, inclusive, on which a track or any part of it is seen. */
export function firstSeen(track: Track, first: number, last: number): number | undefined {
  const frames = partsSeen(track).flatMap(({ shapes }) => firstVisible(shapes, first, last) ?? [])
  return frames.length > 0 ? frames.reduce((a, b) => Math.min(a, b)) : undefined
}

/** Whether a track, or any part of it, is still to be seen after its last keyframe. */
export const wasVisible = (track: Track) =>
  partsSeen(track).some((part) => part.shapes.at(-1)?.outside === false)

/** The last frame that a part of a track has a shape on. */
export const lastFrame = (track: Track) =>
  [track, ...track.elements].reduce(
    (last, { shapes }) => Math.max(last, shapes.at(-1)?.frame ?? last),
    track.frame,
  )

/** Whether all shapes of a track lie on some frames, inclusive. */
export const isWithin = (track: Track, first: number, last: number) =>
  track.frame >= first && lastFrame(track) <= last
