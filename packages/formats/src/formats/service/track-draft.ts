/** A track while its shapes are read. Only keyframes are kept. */
import type {
  AttributeValue,
  DatasetShape,
  DatasetShapeType,
  DatasetTrack,
  DatasetTrackShape,
} from '../../model/dataset.ts'
import type { Fail } from '../../text/numbers.ts'
import { inOrderOfParts, type NamedLabel } from './named-label.ts'

export interface TrackDraft {
  named: NamedLabel
  group: number
  type: DatasetShapeType | undefined
  /** Keyframes, in the order of the file. */
  keyframes: DatasetTrackShape[]
  /** Shapes without a keyframe attribute; they are keyframes only if the whole track has no such attribute. */
  unmarked: DatasetTrackShape[]
  marksKeyframes: boolean
  /** Earliest listed shape, with which the track begins. */
  earliest: DatasetTrackShape | undefined
  /**
   * Frames on which the track is hidden unless it has a shape there; used when the hiding shape is on a missing
   * frame.
   */
  ends: number[]
  /** Number of listed visible frames, and the first of them in the file. */
  seen: number
  firstSeen: DatasetTrackShape | undefined
  /** Values of immutable attributes, from the last listed shape. */
  values: AttributeValue[]
  /** Drafts of skeleton elements by label id. */
  parts: Map<number, TrackDraft>
}

export function createTrackDraft(named: NamedLabel, group = 0): TrackDraft {
  const nothing = { type: undefined, marksKeyframes: false, earliest: undefined }
  const lists = { keyframes: [], unmarked: [], ends: [], values: [], parts: new Map() }
  return { named, group, seen: 0, firstSeen: undefined, ...nothing, ...lists }
}

/** Returns the draft of a skeleton element. */
export function draftOfPart(draft: TrackDraft, part: NamedLabel): TrackDraft {
  const known = draft.parts.get(part.label.id) ?? createTrackDraft(part)
  draft.parts.set(part.label.id, known)
  return known
}

/**
 * Adds a shape.
 * @param keyframe Keyframe attribute of the shape; undefined when it is missing.
 * @throws the error that `fail` creates for a shape of another type
 */
export function addShape(
  draft: TrackDraft,
  shape: DatasetTrackShape,
  keyframe: boolean | undefined,
  fail: Fail,
): void {
  draft.type ??= shape.type
  if (draft.type !== shape.type) throw fail(`a ${shape.type} in a track of type ${draft.type}`)
  if (keyframe !== undefined) draft.marksKeyframes = true
  if (keyframe) draft.keyframes.push(shape)
  if (keyframe === undefined) draft.unmarked.push(shape)
  if (!draft.earliest || shape.frame < draft.earliest.frame) draft.earliest = shape
  if (shape.outside) return
  draft.seen += 1
  draft.firstSeen ??= shape
}

/**
 * Returns the track; undefined when it has no shapes.
 * @throws the error that `fail` creates for two different shapes on one frame
 */
export function trackOf(draft: TrackDraft, fail: Fail): DatasetTrack | undefined {
  const { named, group, values, earliest, ends } = draft
  const shapes = ended(keyframesOf(draft, fail), ends)
  if (!earliest) return undefined
  const parts = [...draft.parts.values()].flatMap((part) => {
    return trackOf({ ...part, ends: [...part.ends, ...ends] }, fail) ?? []
  })
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

function keyframesOf(draft: TrackDraft, fail: Fail): DatasetTrackShape[] {
  const { marksKeyframes, keyframes, unmarked, earliest } = draft
  const listed = marksKeyframes ? keyframes : unmarked
  const isAhead = earliest && !listed.some(({ frame }) => frame === earliest.frame)
  const sorted = (isAhead ? [...listed, earliest] : listed).toSorted((a, b) => a.frame - b.frame)
  return sorted.filter((shape, index) => {
    const before = sorted[index - 1]
    if (before?.frame !== shape.frame) return true
    if (JSON.stringify(before) === JSON.stringify(shape)) return false
    throw fail(`two different shapes on frame ${shape.frame}`)
  })
}

/** Returns shapes by frame, with a hidden shape on each of these frames that follows a visible one. */
function ended(shapes: readonly DatasetTrackShape[], ends: readonly number[]): DatasetTrackShape[] {
  const all = [...shapes]
  for (const frame of ends.toSorted((a, b) => a - b)) {
    const at = all.findLastIndex((shape) => shape.frame <= frame)
    const before = all[at]
    if (!before || before.frame === frame || before.outside) continue
    all.splice(at + 1, 0, { ...before, frame, outside: true, keyframe: true })
  }
  return all
}

/** Returns the mask of a track that shows a mask on only one frame: exports write single masks this way. */
export function maskOf(draft: TrackDraft): DatasetShape | undefined {
  const { type, seen, firstSeen, named, group, values } = draft
  if (type !== 'mask' || seen !== 1 || !firstSeen) return undefined
  const { keyframe: _, attributes, ...rest } = firstSeen
  return {
    ...rest,
    label_id: named.label.id,
    group,
    source: 'file',
    score: 1,
    attributes: [...values, ...attributes],
    elements: [],
  }
}
