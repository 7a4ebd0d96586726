/** Puts tracks together again from shapes that name their track (spec/formats.md 3.5). */
import { FormatError, type Place } from './errors.ts'
import { splitByMutable } from './labels.ts'
import type { Label, Shape, Track, TrackShape } from './model.ts'

export interface TrackBuilder {
  /**
   * Adds one frame of a track; `key` tells tracks apart.
   * @throws {FormatError} when the track has a shape on that frame already.
   */
  add(key: string, label: Label, shape: Shape, isKeyframe: boolean, place: Place): void
  /** The tracks, once everything is added. */
  build(): Generator<Track>
}

/**
 * Collects tracks in any order of frames. What lies between keyframes is forgotten at once, so a track
 * takes as much room as its keyframes and gaps.
 * @param lastFrame The last frame of the target.
 * @param frameName What the file calls a frame, for messages.
 */
export function trackBuilder(
  lastFrame: number,
  frameName: (frame: number) => number | string = (frame) => frame,
): TrackBuilder {
  const drafts = new Map<string, Draft>()
  return {
    add(key, label, shape, isKeyframe, place) {
      const values = splitByMutable(label, shape.attributes)
      let draft = drafts.get(key)
      if (!draft) {
        draft = { shape, attributes: values.track, stretches: [], hidden: new Map() }
        drafts.set(key, draft)
      }
      const part = trackShape(shape, isKeyframe, values.shape)
      if (!addPart(draft, part)) {
        const where = `frame ${frameName(shape.frame)}`
        throw new FormatError(`a second shape of track ${key} on ${where}`, place)
      }
    },
    *build() {
      for (const draft of drafts.values()) yield finish(draft, lastFrame)
    },
  }
}

/** Neighbouring frames on which the track is visible. */
interface Stretch {
  first: TrackShape
  last: TrackShape
  /** Keyframes, in order of frames. */
  keyframes: TrackShape[]
}

interface Draft {
  shape: Shape
  attributes: Shape['attributes']
  /** Ascending, at least one frame apart. */
  stretches: Stretch[]
  hidden: Map<number, TrackShape>
}

function trackShape(
  shape: Shape,
  keyframe: boolean,
  attributes: TrackShape['attributes'],
): TrackShape {
  const { type, frame, points, occluded, outside, z_order, rotation } = shape
  return { type, frame, points, occluded, outside, keyframe, z_order, rotation, attributes }
}

/** False when the frame is taken. */
function addPart({ stretches, hidden }: Draft, part: TrackShape): boolean {
  const at = stretches.findLastIndex((stretch) => stretch.first.frame <= part.frame)
  const before = stretches[at]
  if (hidden.has(part.frame) || (before && before.last.frame >= part.frame)) return false
  if (part.outside) {
    hidden.set(part.frame, part)
    return true
  }
  const own = { first: part, last: part, keyframes: part.keyframe ? [part] : [] }
  const after = stretches[at + 1]
  const followsOn = before?.last.frame === part.frame - 1
  const leadsOn = after?.first.frame === part.frame + 1
  const joined = before && followsOn ? join(before, own) : own
  if (after && leadsOn) join(joined, after)
  const from = followsOn ? at : at + 1
  stretches.splice(from, Number(followsOn) + Number(leadsOn), joined)
  return true
}

/** The earlier stretch grows, so that frames in order cost nothing. */
function join(earlier: Stretch, later: Stretch): Stretch {
  earlier.last = later.last
  for (const keyframe of later.keyframes) earlier.keyframes.push(keyframe)
  return earlier
}

function finish(draft: Draft, lastFrame: number): Track {
  const { shape, stretches, hidden } = draft
  const shapes: TrackShape[] = []
  for (const stretch of stretches) shapes.push(...shapesOf(stretch, hidden, lastFrame))
  const [neverSeen] = hidden.values()
  if (shapes.length === 0 && neverSeen) shapes.push({ ...neverSeen, keyframe: true })
  return {
    frame: shapes[0]?.frame ?? shape.frame,
    label_id: shape.label_id,
    group: shape.group,
    source: shape.source,
    attributes: draft.attributes,
    shapes,
    elements: [],
  }
}

/** A stretch begins with a keyframe; unless it lasts to the end, it closes with a hidden one behind it. */
function shapesOf(
  stretch: Stretch,
  hidden: Map<number, TrackShape>,
  lastFrame: number,
): TrackShape[] {
  const { first, last, keyframes } = stretch
  const shapes = keyframes[0]?.frame === first.frame ? [] : [{ ...first, keyframe: true }]
  shapes.push(...keyframes)
  const isClosed = last.frame < lastFrame
  const latest = shapes.at(-1) ?? first
  if (latest.frame < last.frame && (isClosed || !isSamePlace(latest, last))) {
    shapes.push({ ...last, keyframe: true })
  }
  if (!isClosed) return shapes
  const closing = hidden.get(last.frame + 1) ?? { ...last, frame: last.frame + 1, outside: true }
  return [...shapes, { ...closing, keyframe: true }]
}

function isSamePlace(a: TrackShape, b: TrackShape): boolean {
  return a.rotation === b.rotation && a.points.join() === b.points.join()
}
