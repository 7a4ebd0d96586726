/** Reads `<track>`: an object on many frames. */
import { firstVisible } from '@reticle/geometry'
import type { DatasetShapeType, DatasetTrack, TargetFrame } from '../../model/dataset.ts'
import { type Fail, readInteger } from '../../text/numbers.ts'
import type { XmlAttributes } from '../../xml/scan.ts'
import type { TrackFrames } from './element-frames.ts'
import { type ElementReader, ignoredElement } from './element-reader.ts'
import { readCount, readFlag, readGeometry, requireAttribute, shapeElements } from './elements.ts'
import {
  acceptsShapeType,
  createFail,
  currentLocation,
  type ImportState,
  labelOf,
  queueAnnotation,
  reportSkipped,
} from './import-state.ts'
import { type NamedLabel, partOf, type ValuesBySpec, valuesThat } from './named-label.ts'
import { createInnerReader, noteClipped, readGroup } from './read-image.ts'
import {
  addShape,
  createTrackDraft,
  draftOfPart,
  maskOf,
  type TrackDraft,
  trackOf,
} from './track-draft.ts'

export function createTrackReader(state: ImportState, attributes: XmlAttributes): ElementReader {
  const record = `track ${attributes.id ?? ''}`.trim()
  const named = labelOf(state, attributes, record)
  if (!named) return ignoredElement
  const draft = createTrackDraft(named, readGroup(state, attributes, record))
  const frames = state.frames.ofTrack(attributes)
  const source = { frames, record, task: attributes.task_id ?? '' }
  const shapes = shapesReader(state, draft, source)
  return {
    ...shapes,
    open(element, own) {
      if (element !== 'track') return shapes.open(element, own)
      const part = partOf(named, own.label ?? '', () => currentLocation(state, record))
      return shapesReader(state, draftOfPart(draft, part), source)
    },
    close() {
      if (frames.end) draft.ends.push(frames.end.frame)
      finish(state, draft, record)
    },
  }
}

interface TrackSource {
  frames: TrackFrames
  record: string
  /** Id of the task, if the document names one. */
  task: string
}

/** Reads the shapes of a track, or of a skeleton element's track inside it. */
function shapesReader(state: ImportState, draft: TrackDraft, source: TrackSource): ElementReader {
  const { frames, record } = source
  return {
    open(element, own) {
      const type = shapeElements.get(element)
      if (element === 'image' || element === 'track' || element === 'tag') {
        throw createFail(state, record)(`<${element}> within a <track>`)
      }
      if (!type || !acceptsShapeType(state, draft.named, type, record)) return ignoredElement
      const fail = createFail(state, record)
      const absolute = readInteger(requireAttribute(own, 'frame', fail), fail)
      const frame = frames.find(absolute)
      if (!frame) return missingReader(draft, { frames, absolute }, own, fail)
      checkVideoSize(state, frame, source)
      const found = { draft, type, frame, record, isEdge: frames.isEdge(frame) }
      return shapeReader(state, { ...found, keyframe: undefined }, own)
    },
    close: () => undefined,
  }
}

function checkVideoSize(
  { videoSizes, comparison, file }: ImportState,
  frame: TargetFrame,
  { task, record }: TrackSource,
): void {
  const key = videoSizes.has(task) ? task : ''
  const size = videoSizes.get(key)
  if (!size) return
  videoSizes.delete(key)
  comparison.items.checkSize({ name: record, frame, size }, file)
}

/** Reads a shape on a missing frame: it may only hide the track from there on, or repeat what interpolation yields. */
function missingReader(
  draft: TrackDraft,
  { frames, absolute }: { frames: TrackFrames; absolute: number },
  attributes: XmlAttributes,
  fail: Fail,
): ElementReader {
  const isHidden = readFlag(attributes, 'outside', fail) === true
  const follows = isHidden || readFlag(attributes, 'keyframe', fail) === false
  if (!frames.behind || !follows) throw fail(frames.missing(absolute))
  const behind = frames.behind(absolute)
  if (isHidden && behind) draft.ends.push(behind.frame)
  return ignoredElement
}

interface Found {
  draft: TrackDraft
  type: DatasetShapeType
  frame: TargetFrame
  record: string
  /** True next to missing frames, where every shape is a keyframe. */
  isEdge: boolean
  /** Value that an element of a skeleton inherits when it has none. */
  keyframe: boolean | undefined
}

function shapeReader(
  state: ImportState,
  found: Found,
  attributes: XmlAttributes,
  done?: (isOutside: boolean) => void,
): ElementReader {
  const { draft, type, frame, record } = found
  const fail = createFail(state, record)
  const geometry = readGeometry(type, attributes, frame, fail)
  if (!geometry) {
    reportSkipped(state, 'degenerate-shape', 'the shape has too few points or pixels', record)
    return ignoredElement
  }
  if (geometry.isClipped) noteClipped(state, record)
  const { points, rotation } = geometry
  const isKeyframe = readFlag(attributes, 'keyframe', fail) ?? found.keyframe
  const keyframe = isKeyframe === false ? found.isEdge : isKeyframe
  const outside = readFlag(attributes, 'outside', fail)
  const occluded = readFlag(attributes, 'occluded', fail) ?? false
  const z_order = readCount(attributes, 'z_order', fail)
  const values: ValuesBySpec = new Map()
  const parts = { all: 0, outside: 0 }
  return {
    open(element, own) {
      const partType = type === 'skeleton' ? shapeElements.get(element) : undefined
      const owner = { named: draft.named, values, record }
      if (!partType || partType === 'skeleton') return createInnerReader(state, owner, element, own)
      const part = draftOfPart(draft, partNamed(state, draft.named, own, record))
      return shapeReader(state, { ...found, draft: part, type: partType, keyframe }, own, (is) => {
        parts.all += 1
        if (is) parts.outside += 1
      })
    },
    close() {
      // A skeleton is visible where its elements are; most files set visibility only on elements.
      const isOutside = outside ?? (parts.all > 0 && parts.outside === parts.all)
      const source = { type, frame: frame.frame, points, occluded, z_order, rotation }
      const own = { outside: isOutside, keyframe: true, attributes: valuesThat(values, true) }
      draft.values = valuesThat(values, false)
      addShape(draft, { ...source, ...own }, keyframe, fail)
      done?.(isOutside)
    },
  }
}

function partNamed(
  state: ImportState,
  skeleton: NamedLabel,
  attributes: XmlAttributes,
  record: string,
): NamedLabel {
  return partOf(skeleton, attributes.label ?? '', () => currentLocation(state, record))
}

function finish(state: ImportState, draft: TrackDraft, record: string): void {
  const track = trackOf(draft, createFail(state, record))
  const mask = maskOf(draft)
  const elements = track?.elements.reduce((sum, { shapes }) => sum + shapes.length, 0) ?? 0
  if (!track) reportSkipped(state, 'degenerate-shape', 'the track has no shapes', record)
  else if (draft.type === 'skeleton' && track.elements.length === 0)
    reportSkipped(state, 'degenerate-shape', 'the skeleton has no points', record)
  else if (!isWithin(state, track, record)) return
  else if (mask) queueAnnotation(state, { kind: 'shape', shape: mask })
  else queueAnnotation(state, { kind: 'track', track }, track.shapes.length + elements)
}

/**
 * Returns whether the track is visible on a frame that accepts annotations. If so, keyframes on other frames are kept
 * as well, because they affect interpolation.
 */
function isWithin(state: ImportState, track: DatasetTrack, record: string): boolean {
  const { range, target } = state
  if (isSeen(track, range.first, range.last)) return true
  if (isSeen(track, 0, target.frames.frames.length - 1)) {
    reportSkipped(state, 'frame-outside-job', 'the track lies outside of the job', record)
  } else {
    reportSkipped(state, 'degenerate-shape', 'the track is never to be seen', record)
  }
  return false
}

/** Returns whether a track is visible; a skeleton is visible where any of its elements is. */
function isSeen({ shapes, elements }: DatasetTrack, first: number, last: number): boolean {
  const all = elements.length > 0 ? elements.map((element) => element.shapes) : [shapes]
  return all.some((own) => firstVisible(own, first, last) !== undefined)
}
