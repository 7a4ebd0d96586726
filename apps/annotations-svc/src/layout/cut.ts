import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { JobRange } from '@reticle/contracts/rest/facts'
import { anchorAt, type InterpolationOptions, trackAt } from '@reticle/geometry'
import { firstJobTo, isSpatial, type Target } from '../targets/target.ts'
import { firstSeen, isWithin, lastFrame, wasVisible } from '../validation/visible.ts'

/** As much of a track as one job has. */
export interface Piece {
  job: JobRange
  /** The track that was cut, itself, where all of it is in the one job. */
  track: Track
}

/**
 * Cuts a track at the borders of the jobs that it is seen in (`spec/api-annotations.md` 1.8), at least one piece. Keyframes
 * that no job has are left out. A track that is in one job as a whole stays as it is, and so does one that is never seen:
 * whoever drew it may still show it.
 *
 * @param track normalised: every part begins on its first frame
 */
export function cutTrack(track: Track, target: Pick<Target, 'jobs' | 'dimension'>): Piece[] {
  const { jobs } = target
  const is3d = isSpatial(target)
  const seen = jobsThatSee(track, jobs)
  const [only = jobs[Math.min(firstJobTo(jobs, track.frame), jobs.length - 1)]] = seen
  if (!only) throw new RangeError('a target without jobs has no tracks')
  const isWhole =
    seen.length === 0 || (seen.length === 1 && isWithin(track, only.start_frame, only.stop_frame))
  if (isWhole) return [{ job: only, track }]
  return seen.map((job) => ({ job, track: pieceIn(track, job, { is3d }) }))
}

function jobsThatSee(track: Track, jobs: readonly JobRange[]): JobRange[] {
  const end = wasVisible(track) ? Number.POSITIVE_INFINITY : lastFrame(track)
  const seen: JobRange[] = []
  for (let at = firstJobTo(jobs, track.frame); ; at += 1) {
    const job = jobs[at]
    if (!job || job.start_frame > end) return seen
    if (firstSeen(track, job.start_frame, job.stop_frame) !== undefined) seen.push(job)
  }
}

/** Parts that are hidden where the piece begins say so there: without it they would be seen when pieces are joined. */
function pieceIn(track: Track, job: JobRange, options: InterpolationOptions): Track {
  const { start_frame, stop_frame } = job
  const frame = firstSeen(track, start_frame, stop_frame) ?? start_frame
  const clip = (shapes: readonly TrackShape[]) => clipShapes(shapes, frame, stop_frame, options)
  return {
    ...track,
    frame,
    shapes: clip(track.shapes),
    elements: track.elements.map((one) => ({ ...one, frame, shapes: clip(one.shapes) })),
  }
}

function clipShapes(
  shapes: readonly TrackShape[],
  first: number,
  last: number,
  options: InterpolationOptions,
): TrackShape[] {
  const kept = shapes.filter(({ frame }) => first <= frame && frame <= last)
  const keyframeAt = (frame: number) => {
    const state = trackAt(shapes, frame, options)
    return state ? [{ ...state, id: null, keyframe: true }] : []
  }
  const start = kept[0]
  if (start?.frame !== first) kept.unshift(...keyframeAt(first))
  else if (!start.keyframe) {
    // A position of this frame only. Being the first it counts as a keyframe here, so the next frame tells where the track is.
    const at = freeFrame(kept, 1, first + 1)
    if (at && at.frame <= last) kept.splice(at.index, 0, ...keyframeAt(at.frame))
  }
  const lastKeyframe = shapes[anchorAt(shapes, Number.POSITIVE_INFINITY)]
  if (lastKeyframe && lastKeyframe.frame > last) endAt(kept, last, keyframeAt)
  return kept
}

/** The first frame from `frame` on that has no shape yet, and the place of one there; none when a keyframe comes before it. */
function freeFrame(kept: readonly TrackShape[], from: number, first: number) {
  let [index, frame] = [from, first]
  while (kept[index]?.frame === frame) {
    if (kept[index]?.keyframe) return undefined
    index += 1
    frame += 1
  }
  return { index, frame }
}

/** A track that moves on beyond its piece says how far it came. */
function endAt(
  kept: TrackShape[],
  last: number,
  keyframeAt: (frame: number) => TrackShape[],
): void {
  let [index, frame] = [kept.length, last]
  while (kept[index - 1]?.frame === frame && !kept[index - 1]?.keyframe) {
    index -= 1
    frame -= 1
  }
  const before = kept[anchorAt(kept, frame)]
  const [state] = keyframeAt(frame)
  if (!before || !state || before.frame === frame || before.outside) return
  if (!isSamePlace(before, state)) kept.splice(index, 0, state)
}

const isSamePlace = (a: TrackShape, b: TrackShape) =>
  a.rotation === b.rotation &&
  a.points.length === b.points.length &&
  a.points.every((value, index) => value === b.points[index])
