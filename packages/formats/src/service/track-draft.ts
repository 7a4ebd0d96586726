/** A track while its shapes are read (spec/formats.md 7.6): of what it shows only keyframes are kept. */
import type { AttributeValue, Shape, ShapeType, Track, TrackShape } from '../model.ts'
import type { Fail } from '../numbers.ts'
import { inOrderOfParts, type NamedLabel } from './named-label.ts'

export interface Draft {
  named: NamedLabel
  group: number
  type: ShapeType | undefined
  /** Keyframes, in the order of the file. */
  keyframes: TrackShape[]
  /** Shapes that do not say whether they are keyframes; they are where nothing of the track does. */
  unsaid: TrackShape[]
  saysKeyframes: boolean
  /** The first frame of all that are listed: the track begins there. */
  earliest: TrackShape | undefined
  /** Frames on which it is listed and seen, and the first of them in the file. */
  seen: number
  firstSeen: TrackShape | undefined
  /** Values of immutable attributes: those of the shape that was listed last. */
  values: AttributeValue[]
  /** Points of a skeleton by their labels. */
  parts: Map<number, Draft>
}

export function newDraft(named: NamedLabel, group = 0): Draft {
  const nothing = { type: undefined, saysKeyframes: false, earliest: undefined }
  const lists = { keyframes: [], unsaid: [], values: [], parts: new Map() }
  return { named, group, seen: 0, firstSeen: undefined, ...nothing, ...lists }
}

/** The draft of a point of a skeleton. */
export function draftOfPart(draft: Draft, part: NamedLabel): Draft {
  const known = draft.parts.get(part.label.id) ?? newDraft(part)
  draft.parts.set(part.label.id, known)
  return known
}

/**
 * @param keyframe Whether the shape says to be one; undefined when it does not say
 * @throws what `fail` makes of a shape of another type
 */
export function addShape(
  draft: Draft,
  shape: TrackShape,
  keyframe: boolean | undefined,
  fail: Fail,
): void {
  draft.type ??= shape.type
  if (draft.type !== shape.type) throw fail(`a ${shape.type} in a track of type ${draft.type}`)
  if (keyframe !== undefined) draft.saysKeyframes = true
  if (keyframe) draft.keyframes.push(shape)
  if (keyframe === undefined) draft.unsaid.push(shape)
  if (!draft.earliest || shape.frame < draft.earliest.frame) draft.earliest = shape
  if (shape.outside) return
  draft.seen += 1
  draft.firstSeen ??= shape
}

/**
 * The track; undefined when it has no shapes.
 * @throws what `fail` makes of two different shapes on one frame
 */
export function trackOf(draft: Draft, fail: Fail): Track | undefined {
  const { named, group, values, earliest } = draft
  const shapes = keyframesOf(draft, fail)
  if (!earliest) return undefined
  const parts = [...draft.parts.values()].flatMap((part) => trackOf(part, fail) ?? [])
  return {
    frame: earliest.frame,
    label_id: named.label.id,
    group,
    source: 'file',
    attributes: values,
    shapes,
    elements: inOrderOfParts(named, parts),
  }
}

function keyframesOf(draft: Draft, fail: Fail): TrackShape[] {
  const { saysKeyframes, keyframes, unsaid, earliest } = draft
  const listed = saysKeyframes ? keyframes : unsaid
  const isAhead = earliest && !listed.some(({ frame }) => frame === earliest.frame)
  const sorted = (isAhead ? [...listed, earliest] : listed).toSorted((a, b) => a.frame - b.frame)
  return sorted.filter((shape, index) => {
    const before = sorted[index - 1]
    if (before?.frame !== shape.frame) return true
    if (JSON.stringify(before) === JSON.stringify(shape)) return false
    throw fail(`two different shapes on frame ${shape.frame}`)
  })
}

/** A mask that a track shows on one frame is a mask: nothing else writes them so (spec/formats.md 7.6). */
export function maskOf(draft: Draft): Shape | undefined {
  const { type, seen, firstSeen, named, group, values } = draft
  if (type !== 'mask' || seen !== 1 || !firstSeen) return undefined
  const { keyframe: _, attributes, ...place } = firstSeen
  return {
    ...place,
    label_id: named.label.id,
    group,
    source: 'file',
    score: 1,
    attributes: [...values, ...attributes],
    elements: [],
  }
}
