/**
 * Determines the frames that a file lists for a track: its state on every exported frame, and whether that is a
 * keyframe.
 */
import { trackStates } from '@reticle/geometry'
import type {
  AttributeValue,
  DatasetTrack,
  DatasetTrackShape,
  TaskPart,
} from '../../model/dataset.ts'

/** State of a track and its skeleton elements on one frame; undefined for an element that has not started. */
export interface TrackState {
  shape: DatasetTrackShape
  parts: (DatasetTrackShape | undefined)[]
}

/** Exported frames of a part, and which of them are next to missing frames that were not deleted. */
export interface ExportedFrames {
  numbers: readonly number[]
  isEdge: (index: number) => boolean
  isDeleted: (frame: number) => boolean
}

export function framesOf({ frames, about, deletedFrames }: TaskPart): ExportedFrames {
  const numbers = frames.map(({ frame }) => frame)
  const first = (about.start_frame - about.origin) / about.step
  const last = (about.stop_frame - about.origin) / about.step
  const isDeleted = (frame: number): boolean => deletedFrames.has(frame)
  /** Returns whether all frames between two were deleted. */
  const isBare = (from: number, to: number): boolean => {
    for (let frame = from + 1; frame < to; frame += 1) if (!isDeleted(frame)) return false
    return true
  }
  const edges = new Set<number>()
  for (const [index, frame] of numbers.entries()) {
    const before = numbers[index - 1] ?? first - 1
    const after = numbers[index + 1] ?? last + 1
    if (!isBare(before, frame) || !isBare(frame, after)) edges.add(index)
  }
  return { numbers, isEdge: (index) => edges.has(index), isDeleted }
}

/**
 * Yields the listed frames of a track: visible frames, and hidden ones where a keyframe hides it. Next to frames that
 * are not exported, and next to a deleted keyframe, the interpolated state becomes a keyframe, because the file
 * contains no other.
 */
export function* walkListed(track: DatasetTrack, frames: ExportedFrames): Generator<TrackState> {
  const { numbers } = frames
  const stateOf = statesOf(track)
  const isFixed = fixedFrames(track, frames)
  const lastChange = lastKeyframe(track)
  const stop = track.stop_frame ?? Number.POSITIVE_INFINITY
  let isFirst = true
  let before: TrackState | undefined
  let reached = -1
  for (let at = indexFrom(numbers, firstFrame(track)); at < numbers.length; at += 1) {
    const frame = numbers[at] ?? 0
    if (reached >= lastChange && before?.shape.outside) return
    const listed = stateOf(frame)
    const isBehind = frame > stop
    const isOver = isBehind || isHiddenInGap(listed, frame - reached)
    const shown: TrackState | undefined = isOver
      ? closing(listed, before)
      : shownOf(listed, isFirst || isFixed(at))
    if (shown) yield shown
    if (isBehind) return
    isFirst = isFirst && !shown
    before = listed
    reached = frame
  }
}

/**
 * Returns whether an index is next to a gap, or next to a deleted frame on which the track or an element has a
 * keyframe.
 */
function fixedFrames(track: DatasetTrack, { numbers, isEdge, isDeleted }: ExportedFrames) {
  const cuts = new Set<number>()
  for (const { shapes } of [track, ...track.elements]) {
    for (const { frame, keyframe } of shapes) {
      if (!keyframe || !isDeleted(frame)) continue
      const next = indexFrom(numbers, frame)
      cuts.add(next - 1).add(next)
    }
  }
  return (at: number): boolean => isEdge(at) || cuts.has(at)
}

/** Returns whether the keyframe that hides a track is between an exported frame and the previous one. */
const isHiddenInGap = (listed: TrackState | undefined, distance: number) =>
  distance > 1 && listed?.shape.outside === true && !listed.shape.keyframe

function statesOf({ shapes, elements }: DatasetTrack): (frame: number) => TrackState | undefined {
  const [stateOf, ...partStates] = [shapes, ...elements.map((element) => element.shapes)].map(
    (own) => trackStates(withInherited(own)),
  )
  return (frame) => {
    const parts = partStates.map((partOf) => partOf(frame))
    const shape = stateOf?.(frame)
    return shape && { shape, parts }
  }
}

/** Hidden frames are listed only with a keyframe. */
function shownOf(listed: TrackState | undefined, isFixed: boolean): TrackState | undefined {
  if (!listed) return undefined
  const { shape, parts } = listed
  const isListed = !shape.outside || shape.keyframe || parts.some((part) => part?.keyframe === true)
  if (!isListed) return undefined
  return isFixed ? changed(listed, { keyframe: true }) : listed
}

/** Hides the track on the frame after its job's end, or on the next frame when its end is not exported. */
function closing(
  listed: TrackState | undefined,
  before: TrackState | undefined,
): TrackState | undefined {
  if (!listed || before?.shape.outside !== false) return undefined
  return changed(listed, { keyframe: true, outside: true })
}

const changed = ({ shape, parts }: TrackState, change: Partial<DatasetTrackShape>): TrackState => {
  return {
    shape: { ...shape, ...change },
    parts: parts.map((part) => part && { ...part, ...change }),
  }
}

/** Returns the last frame on which a track changes. */
function lastKeyframe({ shapes, elements }: DatasetTrack): number {
  return Math.max(
    ...[shapes, ...elements.map((one) => one.shapes)].map((own) => own.at(-1)?.frame ?? 0),
  )
}

const firstFrame = ({ shapes, frame }: DatasetTrack) => shapes[0]?.frame ?? frame

/** Returns the index of the first exported frame at or after `first`. */
function indexFrom(numbers: readonly number[], first: number): number {
  let [from, to] = [0, numbers.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((numbers[middle] ?? 0) < first) from = middle + 1
    else to = middle
  }
  return from
}

/** Adds the attribute values that keyframes inherit from the previous one. */
function withInherited(shapes: readonly DatasetTrackShape[]): DatasetTrackShape[] {
  const known = new Map<number, AttributeValue>()
  return shapes.map((shape) => {
    for (const value of shape.attributes) known.set(value.spec_id, value)
    return { ...shape, attributes: [...known.values()] }
  })
}
