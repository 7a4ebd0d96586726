import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { JobRange } from '@reticle/contracts/rest/facts'
import { anchorAt, type InterpolationOptions, trackAt } from '@reticle/geometry'
import { type AnnotationTarget, firstJobTo, isSpatial } from '../targets/target.ts'
import { firstSeen, isWithin, lastFrame, wasVisible } from '../validation/visible.ts'

/** The part of a track that lies in one job. */
export interface TrackPiece {
  job: JobRange
  /** The original track itself, if it lies in one job completely. */
  track: Track
}

/**
 * Cuts a track at the borders of the jobs where it is visible, into at least one piece. Keyframes outside all jobs
 * are dropped. A track in a single job is not changed, and neither is one that is never visible, because its author
 * may still show it.
 *
 * @param track normalised: every part begins on its first frame
 */
export function cutTrack(
  track: Track,
  target: Pick<AnnotationTarget, 'jobs' | 'dimension'>,
): TrackPiece[] {
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

/**
 * Adds a hidden keyframe to parts that are hidden at the start of the piece; otherwise they would be visible after
 * joining.
 */
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
    // A position for this frame only. As the first shape it counts as a keyframe, so the next frame needs the
    // interpolated position.
    const at = freeFrame(kept, 1, first + 1)
    if (at && at.frame <= last) kept.splice(at.index, 0, ...keyframeAt(at.frame))
  }
  const lastKeyframe = shapes[anchorAt(shapes, Number.POSITIVE_INFINITY)]
  if (lastKeyframe && lastKeyframe.frame > last) endAt(kept, last, keyframeAt)
  return kept
}

/**
 * Returns the first frame from `first` on without a shape and the index to insert one; undefined when a keyframe
 * comes first.
 */
function freeFrame(kept: readonly TrackShape[], from: number, first: number) {
  let [index, frame] = [from, first]
  while (kept[index]?.frame === frame) {
    if (kept[index]?.keyframe) return undefined
    index += 1
    frame += 1
  }
  return { index, frame }
}

/** Adds the interpolated end position of a track that continues beyond its piece. */
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
  if (!hasSamePosition(before, state)) kept.splice(index, 0, state)
}

const hasSamePosition = (a: TrackShape, b: TrackShape) =>
  a.rotation === b.rotation &&
  a.points.length === b.points.length &&
  a.points.every((value, index) => value === b.points[index])
