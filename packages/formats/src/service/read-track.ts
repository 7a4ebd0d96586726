/** Reads `<track>`: an object on many frames. */
import { firstVisible } from '@reticle/geometry'
import type { ShapeType, TargetFrame, Track } from '../model.ts'
import { type Fail, readInteger } from '../numbers.ts'
import type { XmlAttributes } from '../xml/scan.ts'
import { type Context, passedOver } from './context.ts'
import type { TrackFrames } from './element-frames.ts'
import { readCount, readFlag, readGeometry, required, shapeElements } from './elements.ts'
import { type NamedLabel, partOf, type Values, valuesThat } from './named-label.ts'
import { inside, noteClipped, readGroup } from './read-image.ts'
import { failing, fits, give, labelOf, placeOf, type Reading, skip } from './reading.ts'
import { addShape, type Draft, draftOfPart, maskOf, newDraft, trackOf } from './track-draft.ts'

export function trackContext(reading: Reading, attributes: XmlAttributes): Context {
  const record = `track ${attributes.id ?? ''}`.trim()
  const named = labelOf(reading, attributes, record)
  if (!named) return passedOver
  const draft = newDraft(named, readGroup(reading, attributes, record))
  const frames = reading.frames.ofTrack(attributes)
  const place = { frames, record, task: attributes.task_id ?? '' }
  const shapes = shapesContext(reading, draft, place)
  return {
    ...shapes,
    open(element, own) {
      if (element !== 'track') return shapes.open(element, own)
      const part = partOf(named, own.label ?? '', () => placeOf(reading, record))
      return shapesContext(reading, draftOfPart(draft, part), place)
    },
    close() {
      if (frames.end) draft.ends.push(frames.end.frame)
      finish(reading, draft, record)
    },
  }
}

interface TrackPlace {
  frames: TrackFrames
  record: string
  /** Id of the task, if the document names one. */
  task: string
}

/** Reads the shapes of a track, or of a skeleton element's track inside it. */
function shapesContext(reading: Reading, draft: Draft, place: TrackPlace): Context {
  const { frames, record } = place
  return {
    open(element, own) {
      const type = shapeElements.get(element)
      if (element === 'image' || element === 'track' || element === 'tag') {
        throw failing(reading, record)(`<${element}> within a <track>`)
      }
      if (!type || !fits(reading, draft.named, type, record)) return passedOver
      const fail = failing(reading, record)
      const absolute = readInteger(required(own, 'frame', fail), fail)
      const frame = frames.find(absolute)
      if (!frame) return missingContext(draft, { frames, absolute }, own, fail)
      checkVideoSize(reading, frame, place)
      const found = { draft, type, frame, record, isEdge: frames.isEdge(frame) }
      return shapeContext(reading, { ...found, keyframe: undefined }, own)
    },
    close: () => undefined,
  }
}

function checkVideoSize(
  { videoSizes, comparison, file }: Reading,
  frame: TargetFrame,
  { task, record }: TrackPlace,
): void {
  const key = videoSizes.has(task) ? task : ''
  const size = videoSizes.get(key)
  if (!size) return
  videoSizes.delete(key)
  comparison.items.checkSize({ name: record, frame, size }, file)
}

/** Reads a shape on a missing frame: it may only hide the track from there on, or repeat what interpolation yields. */
function missingContext(
  draft: Draft,
  { frames, absolute }: { frames: TrackFrames; absolute: number },
  attributes: XmlAttributes,
  fail: Fail,
): Context {
  const isHidden = readFlag(attributes, 'outside', fail) === true
  const follows = isHidden || readFlag(attributes, 'keyframe', fail) === false
  if (!frames.behind || !follows) throw fail(frames.missing(absolute))
  const behind = frames.behind(absolute)
  if (isHidden && behind) draft.ends.push(behind.frame)
  return passedOver
}

interface Found {
  draft: Draft
  type: ShapeType
  frame: TargetFrame
  record: string
  /** True next to missing frames, where every shape is a keyframe. */
  isEdge: boolean
  /** Value that an element of a skeleton inherits when it has none. */
  keyframe: boolean | undefined
}

function shapeContext(
  reading: Reading,
  found: Found,
  attributes: XmlAttributes,
  done?: (isOutside: boolean) => void,
): Context {
  const { draft, type, frame, record } = found
  const fail = failing(reading, record)
  const geometry = readGeometry(type, attributes, frame, fail)
  if (!geometry) {
    skip(reading, 'degenerate-shape', 'the shape has too few points or pixels', record)
    return passedOver
  }
  if (geometry.isClipped) noteClipped(reading, record)
  const { points, rotation } = geometry
  const said = readFlag(attributes, 'keyframe', fail) ?? found.keyframe
  const keyframe = said === false ? found.isEdge : said
  const outside = readFlag(attributes, 'outside', fail)
  const occluded = readFlag(attributes, 'occluded', fail) ?? false
  const z_order = readCount(attributes, 'z_order', fail)
  const values: Values = new Map()
  const parts = { all: 0, outside: 0 }
  return {
    open(element, own) {
      const partType = type === 'skeleton' ? shapeElements.get(element) : undefined
      const owner = { named: draft.named, values, record }
      if (!partType || partType === 'skeleton') return inside(reading, owner, element, own)
      const part = draftOfPart(draft, partNamed(reading, draft.named, own, record))
      return shapeContext(
        reading,
        { ...found, draft: part, type: partType, keyframe },
        own,
        (is) => {
          parts.all += 1
          if (is) parts.outside += 1
        },
      )
    },
    close() {
      // A skeleton is visible where its elements are; most files set visibility only on elements.
      const isOutside = outside ?? (parts.all > 0 && parts.outside === parts.all)
      const place = { type, frame: frame.frame, points, occluded, z_order, rotation }
      const own = { outside: isOutside, keyframe: true, attributes: valuesThat(values, true) }
      draft.values = valuesThat(values, false)
      addShape(draft, { ...place, ...own }, keyframe, fail)
      done?.(isOutside)
    },
  }
}

function partNamed(
  reading: Reading,
  skeleton: NamedLabel,
  attributes: XmlAttributes,
  record: string,
): NamedLabel {
  return partOf(skeleton, attributes.label ?? '', () => placeOf(reading, record))
}

function finish(reading: Reading, draft: Draft, record: string): void {
  const track = trackOf(draft, failing(reading, record))
  const mask = maskOf(draft)
  const elements = track?.elements.reduce((sum, { shapes }) => sum + shapes.length, 0) ?? 0
  if (!track) skip(reading, 'degenerate-shape', 'the track has no shapes', record)
  else if (draft.type === 'skeleton' && track.elements.length === 0)
    skip(reading, 'degenerate-shape', 'the skeleton has no points', record)
  else if (!isWithin(reading, track, record)) return
  else if (mask) give(reading, { kind: 'shape', shape: mask })
  else give(reading, { kind: 'track', track }, track.shapes.length + elements)
}

/**
 * Returns whether the track is visible on a frame that accepts annotations. If so, keyframes on other frames are kept
 * as well, because they affect interpolation.
 */
function isWithin(reading: Reading, track: Track, record: string): boolean {
  const { range, target } = reading
  if (isSeen(track, range.first, range.last)) return true
  if (isSeen(track, 0, target.frames.frames.length - 1)) {
    skip(reading, 'frame-outside-job', 'the track lies outside of the job', record)
  } else {
    skip(reading, 'degenerate-shape', 'the track is never to be seen', record)
  }
  return false
}

/** Returns whether a track is visible; a skeleton is visible where any of its elements is. */
function isSeen({ shapes, elements }: Track, first: number, last: number): boolean {
  const all = elements.length > 0 ? elements.map((element) => element.shapes) : [shapes]
  return all.some((own) => firstVisible(own, first, last) !== undefined)
}
