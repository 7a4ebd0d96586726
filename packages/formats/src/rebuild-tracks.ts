/** Puts tracks together again from shapes that name their track (spec/formats.md 3.5). */
import { FormatError, type Place } from './errors.ts'
import type { TrackPart } from './flags.ts'
import { frameSet } from './frame-set.ts'
import type { Intake } from './intake.ts'
import { splitByMutable } from './labels.ts'
import type { Label, Shape, TargetFrame, TargetFrames, Track, TrackShape } from './model.ts'
import { type PackedShapes, packedShapes } from './packed-shapes.ts'

export interface TrackIntake extends Pick<Intake, 'range' | 'note'> {
  target: { frames: Pick<TargetFrames, 'includes'> }
}

export interface TrackBuilder {
  /**
   * Adds one frame of a track; `key` tells tracks apart.
   * @throws {FormatError} when the track has a shape on that frame already.
   */
  add(key: string, label: Label, shape: Shape, isKeyframe: boolean, place: Place): void
  /** Whether the track has a shape on that frame. */
  has(key: string, frame: number): boolean
  /** The tracks, once everything is added; each takes its room when it is asked for. */
  build(): Generator<Track>
}

/**
 * Collects tracks in any order of frames, in a time that grows with their number alone. What lies between neighbours
 * and is no keyframe is forgotten where frames come one after another, up or down; of the rest a rectangle takes about 60 bytes.
 * @param intake Its report gets immutable attributes that change within a track. Frames that it does not include, as between those of
 * a ground-truth job, neither end a track nor get a keyframe.
 * @param frameName What the file calls a frame, for messages.
 */
export function trackBuilder(
  { range, note, target }: TrackIntake,
  frameName: (frame: number) => number | string = (frame) => frame,
): TrackBuilder {
  const drafts = new Map<string, Draft>()
  const packed = packedShapes()
  const taken = takenFrames({ range, target })

  function keep(draft: Draft, shape: TrackShape): void {
    draft.latest = packed.add(shape, draft.latest)
    draft.count += 1
  }

  function keepWaiting(draft: Draft): void {
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
    add(key, label, shape, isKeyframe, place) {
      const { frame, outside } = shape
      const values = splitByMutable(label, shape.attributes)
      const draft = drafts.get(key) ?? newDraft(drafts.size, shape, values.track)
      drafts.set(key, draft)
      if (taken.has(draft.number, frame)) {
        throw new FormatError(`a second shape of track ${key} on frame ${frameName(frame)}`, place)
      }
      if (!isSameValues(draft.track.attributes, values.track))
        note('converted', 'dropped-attribute', immutableChange, place)
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

/** Frames on which tracks have a shape, visible or hidden. */
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
    add(track: number, { frame, outside }: Pick<Shape, 'frame' | 'outside'>): void {
      const own = outside ? hidden : visible
      own.add(track, frame)
    },
    isVisible: visible.has,
    has: (track: number, frame: number): boolean =>
      visible.has(track, frame) || hidden.has(track, frame),
    /** Whether a track is visible on every frame between two. */
    isVisibleBetween(track: number, first: number, last: number): boolean {
      let frame = frameBehind(first)
      for (; frame !== undefined && frame < last; frame = frameBehind(frame))
        if (!visible.has(track, frame)) return false
      return true
    },
  }
}

/**
 * Whether a file without keyframes repeats the id of a track on a frame. The repeated shape is reported and stays outside of the track.
 */
export function isRepeated(
  { isImplied }: TrackPart,
  key: string,
  at: { frame: TargetFrame; place: Place; tracks: TrackBuilder },
  { note }: Pick<Intake, 'note'>,
): boolean {
  if (!isImplied || !at.tracks.has(key, at.frame.frame)) return false
  const reason = 'a track has a second shape on a frame, it is read as a shape without the track'
  note('converted', 'duplicate-entry', reason, at.place)
  return true
}

const immutableChange = 'an immutable attribute changes within a track, its first value is kept'

/** Whether these values repeat those of the first shape. A shape that leaves a value out keeps it. */
const isSameValues = (first: Shape['attributes'], own: Shape['attributes']): boolean =>
  own.every(({ spec_id, value }) =>
    first.some((other) => other.spec_id === spec_id && other.value === value),
  )

interface Draft {
  /** From 0, for sets of frames. */
  number: number
  track: Pick<Track, 'label_id' | 'group' | 'source' | 'attributes'>
  /** The shape kept latest, where there is one, and how many are kept. */
  latest: number
  count: number
  /** No keyframe: kept unless it turns out to lie between neighbours. */
  waiting: TrackShape | undefined
}

function newDraft(number: number, shape: Shape, attributes: Shape['attributes']): Draft {
  const { label_id, group, source } = shape
  const track = { label_id, group, source, attributes }
  return { number, track, latest: -1, count: 0, waiting: undefined }
}

function trackShape(
  shape: Shape,
  keyframe: boolean,
  attributes: TrackShape['attributes'],
): TrackShape {
  const { type, frame, points, occluded, outside, z_order, rotation } = shape
  return { type, frame, points, occluded, outside, keyframe, z_order, rotation, attributes }
}

/** Where the shapes kept of a track stand, ascending by frame. */
function inOrder({ latest, count }: Draft, packed: PackedShapes): Float64Array {
  const places = new Float64Array(count)
  // Frame and index of a place as one number: plain numbers are sorted many times faster than by a comparison of our own.
  const order = new Float64Array(count)
  for (let index = 0, at = latest; index < count; index += 1, at = packed.before(at)) {
    places[index] = at
    order[index] = packed.frameAt(at) * count + index
  }
  return order.sort().map((one) => places[one % count] ?? 0)
}

/** Whether all frames between two visible ones are visible. */
type Joined = (first: number, last: number) => boolean

/** The next frame that takes annotations; undefined behind the last. */
type FrameBehind = (frame: number) => number | undefined

/** Neighbouring visible frames make a stretch: it begins with a keyframe, and closes as `closeStretch` says. */
function shapesOf(
  draft: Draft,
  packed: PackedShapes,
  isJoined: Joined,
  frameBehind: FrameBehind,
): TrackShape[] {
  const shapes: TrackShape[] = []
  let last: TrackShape | undefined
  let neverSeen: TrackShape | undefined
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

/** Unless it lasts to the end, a stretch closes with a hidden keyframe behind it: that of the file, where `next` is it. */
function closeStretch(
  shapes: TrackShape[],
  last: TrackShape,
  frame: ReturnType<FrameBehind>,
  next?: TrackShape,
): void {
  const isClosed = frame !== undefined
  const latest = shapes.at(-1) ?? last
  if (latest.frame < last.frame && (isClosed || !isSamePlace(latest, last))) {
    shapes.push(asKeyframe(last))
  }
  if (!isClosed) return
  const closing = next?.outside && next.frame === frame ? next : { ...last, frame, outside: true }
  shapes.push(asKeyframe(closing))
}

const asKeyframe = (shape: TrackShape): TrackShape =>
  shape.keyframe ? shape : { ...shape, keyframe: true }

function isSamePlace(a: TrackShape, b: TrackShape): boolean {
  return a.rotation === b.rotation && a.points.join() === b.points.join()
}
