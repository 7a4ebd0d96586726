/** Rebuilds tracks from shapes that name their track (docs/spec/formats.md#tracks-in-frame-formats). */

import type {
  DatasetLabel,
  DatasetShape,
  DatasetTrack,
  DatasetTrackShape,
  TargetFrame,
  TargetFrames,
} from '../model/dataset.ts'
import { splitByMutable } from '../model/labels.ts'
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import { createPackedShapes, type PackedShapes } from '../tracks/packed-shapes.ts'
import type { TrackPart } from './flags.ts'
import type { ImportIntake } from './intake.ts'

export interface TrackIntake extends Pick<ImportIntake, 'range' | 'note'> {
  target: { frames: Pick<TargetFrames, 'includes'> }
}

export interface TrackBuilder {
  /**
   * Adds one frame of a track, which `key` identifies.
   * @throws {FormatError} when the track already has a shape on that frame
   */
  add(
    key: string,
    label: DatasetLabel,
    shape: DatasetShape,
    isKeyframe: boolean,
    location: ErrorLocation,
  ): void
  /** Returns whether the track has a shape on that frame. */
  has(key: string, frame: number): boolean
  /** Yields the tracks after everything was added; memory for a track is allocated when it is yielded. */
  build(): Generator<DatasetTrack>
}

/**
 * Creates a builder that accepts frames in any order and takes linear time. Shapes that are not keyframes and lie
 * between neighbours are dropped when frames arrive in ascending or descending order; other rectangles take about 60
 * bytes each.
 * @param intake Its report receives immutable attributes that change within a track. Frames that it does not include,
 * such as gaps of a ground-truth job, neither end a track nor get a keyframe.
 * @param frameName Returns the name of a frame in the file, for messages.
 */
export function createTrackBuilder(
  { range, note, target }: TrackIntake,
  frameName: (frame: number) => number | string = (frame) => frame,
): TrackBuilder {
  const drafts = new Map<string, RebuiltTrack>()
  const packed = createPackedShapes()
  const taken = takenFrames({ range, target })

  function keep(draft: RebuiltTrack, shape: DatasetTrackShape): void {
    draft.latest = packed.add(shape, draft.latest)
    draft.count += 1
  }

  function keepWaiting(draft: RebuiltTrack): void {
    const { number, waiting } = draft
    draft.waiting = undefined
    if (!waiting) return
    const isBetween = [-1, 1].every((side) => taken.isVisible(number, waiting.frame + side))
    if (!isBetween) keep(draft, waiting)
  }

  return {
    has(key, frame) {
      const draft = drafts.get(key)
      return draft !== undefined && taken.has(draft.number, frame)
    },
    add(key, label, shape, isKeyframe, location) {
      const { frame, outside } = shape
      const values = splitByMutable(label, shape.attributes)
      const draft = drafts.get(key) ?? newDraft(drafts.size, shape, values.track)
      drafts.set(key, draft)
      if (taken.has(draft.number, frame)) {
        throw new FormatError(
          `a second shape of track ${key} on frame ${frameName(frame)}`,
          location,
        )
      }
      if (!isSameValues(draft.track.attributes, values.track))
        note('converted', 'dropped-attribute', immutableChange, location)
      taken.add(draft.number, shape)
      keepWaiting(draft)
      const part = trackShape(shape, isKeyframe, values.shape)
      if (outside || isKeyframe) keep(draft, part)
      else draft.waiting = part
    },
    *build() {
      for (const draft of drafts.values()) {
        keepWaiting(draft)
        const isJoined: Joined = (first, last) => taken.isVisibleBetween(draft.number, first, last)
        const shapes = shapesOf(draft, packed, isJoined, taken.frameBehind)
        yield { ...draft.track, frame: shapes[0]?.frame ?? 0, shapes, elements: [] }
      }
    },
  }
}

/** Sets of frames on which tracks have a shape, visible or hidden. */
function takenFrames({ range, target }: Pick<TrackIntake, 'range' | 'target'>) {
  const lastFrame = Math.max(0, range.last)
  const visible = frameSet(lastFrame)
  const hidden = frameSet(lastFrame)

  function frameBehind(frame: number): number | undefined {
    for (let next = frame + 1; next <= lastFrame; next += 1)
      if (target.frames.includes(next)) return next
    return undefined
  }

  return {
    frameBehind,
    add(track: number, { frame, outside }: Pick<DatasetShape, 'frame' | 'outside'>): void {
      const own = outside ? hidden : visible
      own.add(track, frame)
    },
    isVisible: visible.has,
    has: (track: number, frame: number): boolean =>
      visible.has(track, frame) || hidden.has(track, frame),
    /** Returns whether a track is visible on every frame between two frames. */
    isVisibleBetween(track: number, first: number, last: number): boolean {
      let frame = frameBehind(first)
      for (; frame !== undefined && frame < last; frame = frameBehind(frame))
        if (!visible.has(track, frame)) return false
      return true
    },
  }
}

/**
 * Returns whether a file without keyframes repeats the id of a track on a frame. The repeated shape is reported and
 * stays outside the track.
 */
export function isRepeated(
  { isImplied }: TrackPart,
  key: string,
  at: { frame: TargetFrame; location: ErrorLocation; tracks: TrackBuilder },
  { note }: Pick<ImportIntake, 'note'>,
): boolean {
  if (!isImplied || !at.tracks.has(key, at.frame.frame)) return false
  const reason = 'a track has a second shape on a frame, it is read as a shape without the track'
  note('converted', 'duplicate-entry', reason, at.location)
  return true
}

const immutableChange = 'an immutable attribute changes within a track, its first value is kept'

/** Returns whether these values repeat those of the first shape. Missing values count as unchanged. */
const isSameValues = (
  first: DatasetShape['attributes'],
  own: DatasetShape['attributes'],
): boolean =>
  own.every(({ spec_id, value }) =>
    first.some((other) => other.spec_id === spec_id && other.value === value),
  )

interface RebuiltTrack {
  /** Index from 0, used in sets of frames. */
  number: number
  track: Pick<DatasetTrack, 'label_id' | 'group' | 'source' | 'attributes'>
  /** Position of the last stored shape, and number of stored shapes. */
  latest: number
  count: number
  /** A shape without a keyframe that is stored unless it lies between neighbours. */
  waiting: DatasetTrackShape | undefined
}

function newDraft(
  number: number,
  shape: DatasetShape,
  attributes: DatasetShape['attributes'],
): RebuiltTrack {
  const { label_id, group, source } = shape
  const track = { label_id, group, source, attributes }
  return { number, track, latest: -1, count: 0, waiting: undefined }
}

function trackShape(
  shape: DatasetShape,
  keyframe: boolean,
  attributes: DatasetTrackShape['attributes'],
): DatasetTrackShape {
  const { type, frame, points, occluded, outside, z_order, rotation } = shape
  return { type, frame, points, occluded, outside, keyframe, z_order, rotation, attributes }
}

/** Returns the positions of a track's stored shapes, ascending by frame. */
function inOrder({ latest, count }: RebuiltTrack, packed: PackedShapes): Float64Array {
  const positions = new Float64Array(count)
  // Frame and index are combined into one number, because plain numbers sort many times faster than with a comparison
  // function.
  const order = new Float64Array(count)
  for (let index = 0, at = latest; index < count; index += 1, at = packed.before(at)) {
    positions[index] = at
    order[index] = packed.frameAt(at) * count + index
  }
  return order.sort().map((one) => positions[one % count] ?? 0)
}

/** Returns whether all frames between two visible ones are visible. */
type Joined = (first: number, last: number) => boolean

/** Returns the next frame that accepts annotations; undefined after the last. */
type FrameBehind = (frame: number) => number | undefined

/**
 * Builds the shapes of a track. Each run of visible frames begins with a keyframe and ends as described at
 * `closeStretch`.
 */
function shapesOf(
  draft: RebuiltTrack,
  packed: PackedShapes,
  isJoined: Joined,
  frameBehind: FrameBehind,
): DatasetTrackShape[] {
  const shapes: DatasetTrackShape[] = []
  let last: DatasetTrackShape | undefined
  let neverSeen: DatasetTrackShape | undefined
  for (const at of inOrder(draft, packed)) {
    const shape = packed.read(at)
    if (last && (shape.outside || !isJoined(last.frame, shape.frame))) {
      closeStretch(shapes, last, frameBehind(last.frame), shape)
      last = undefined
    }
    if (shape.outside) {
      neverSeen ??= shape
      continue
    }
    if (!last || shape.keyframe) shapes.push(asKeyframe(shape))
    last = shape
  }
  if (last) closeStretch(shapes, last, frameBehind(last.frame))
  if (shapes.length === 0 && neverSeen) shapes.push(asKeyframe(neverSeen))
  return shapes
}

/**
 * Ends a run of visible frames. Unless it lasts to the last frame, a hidden keyframe follows it: the file's own shape
 * if `next` is on that frame.
 */
function closeStretch(
  shapes: DatasetTrackShape[],
  last: DatasetTrackShape,
  frame: ReturnType<FrameBehind>,
  next?: DatasetTrackShape,
): void {
  const isClosed = frame !== undefined
  const latest = shapes.at(-1) ?? last
  if (latest.frame < last.frame && (isClosed || !hasSamePosition(latest, last))) {
    shapes.push(asKeyframe(last))
  }
  if (!isClosed) return
  const closing = next?.outside && next.frame === frame ? next : { ...last, frame, outside: true }
  shapes.push(asKeyframe(closing))
}

const asKeyframe = (shape: DatasetTrackShape): DatasetTrackShape =>
  shape.keyframe ? shape : { ...shape, keyframe: true }

function hasSamePosition(a: DatasetTrackShape, b: DatasetTrackShape): boolean {
  return a.rotation === b.rotation && a.points.join() === b.points.join()
}

/** Set of pairs of track and frame. Each pair takes one bit, so millions fit in memory when they are close together. */
interface TrackFrameSet {
  /**
   * Returns whether the set contains the frame. Frames directly before the first and after the last may be queried;
   * they are never contained.
   */
  has(track: number, frame: number): boolean
  add(track: number, frame: number): void
}

/** Bits of a word that engines keep as a small integer. */
const wordBits = 32

/**
 * Creates an empty set.
 * @param lastFrame Largest frame number that may be added.
 */
function frameSet(lastFrame: number): TrackFrameSet {
  const words = new Map<number, number>()
  // All tracks share one range of positions, with an unused position on either side of each track.
  const positionOf = (track: number, frame: number): number => track * (lastFrame + 3) + frame + 1
  return {
    has(track, frame) {
      const position = positionOf(track, frame)
      const word = words.get(Math.floor(position / wordBits)) ?? 0
      return (word & (1 << (position % wordBits))) !== 0
    },
    add(track, frame) {
      const position = positionOf(track, frame)
      const at = Math.floor(position / wordBits)
      words.set(at, (words.get(at) ?? 0) | (1 << (position % wordBits)))
    },
  }
}
