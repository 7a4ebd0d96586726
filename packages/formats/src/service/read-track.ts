/** `<track>`: an object on many frames (spec/formats.md 7.5 and 7.6). */
import { firstVisible } from '@reticle/geometry'
import type { ShapeType, TargetFrame, Track } from '../model.ts'
import { readInteger } from '../numbers.ts'
import type { XmlAttributes } from '../xml/scan.ts'
import { type Context, passedOver } from './context.ts'
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
  const shapes = shapesContext(reading, draft, record)
  return {
    ...shapes,
    open(element, own) {
      if (element !== 'track') return shapes.open(element, own)
      const part = partOf(named, own.label ?? '', () => placeOf(reading, record))
      return shapesContext(reading, draftOfPart(draft, part), record)
    },
    close: () => finish(reading, draft, record),
  }
}

/** The shapes of a track, or of one point of a skeleton that has a track of its own in that of the skeleton. */
function shapesContext(reading: Reading, draft: Draft, record: string): Context {
  return {
    open(element, own) {
      const type = shapeElements.get(element)
      if (element === 'image' || element === 'track' || element === 'tag') {
        throw failing(reading, record)(`<${element}> within a <track>`)
      }
      if (!type || !fits(reading, draft.named, type, record)) return passedOver
      const frame = frameOf(reading, own, record)
      return shapeContext(reading, { draft, type, frame, record, keyframe: undefined }, own)
    },
    close: () => undefined,
  }
}

interface Found {
  draft: Draft
  type: ShapeType
  frame: TargetFrame
  record: string
  /** What the skeleton says of a point that says nothing. */
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
  const keyframe = readFlag(attributes, 'keyframe', fail) ?? found.keyframe
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
      // A skeleton is where its points are; most files say it of the points only.
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

/** Files count frames of the media, the service those of the task. */
function frameOf(reading: Reading, attributes: XmlAttributes, record: string): TargetFrame {
  const { frames, start_frame, step } = reading.target.frames
  const fail = failing(reading, record)
  const absolute = readInteger(required(attributes, 'frame', fail), fail)
  const frame = frames[(absolute - start_frame) / step]
  if (frame) return frame
  const last = start_frame + (frames.length - 1) * step
  const grid = step === 1 ? '' : ` in steps of ${step}`
  throw fail(`frame ${absolute} is none of the task, which has ${start_frame} to ${last}${grid}`)
}

function finish(reading: Reading, draft: Draft, record: string): void {
  const track = trackOf(draft, failing(reading, record))
  const mask = maskOf(draft)
  const elements = track?.elements.reduce((sum, { shapes }) => sum + shapes.length, 0) ?? 0
  if (!track) skip(reading, 'degenerate-shape', 'the track has no shapes', record)
  else if (!isWithin(reading, track, record)) return
  else if (mask) give(reading, { kind: 'shape', shape: mask })
  else give(reading, { kind: 'track', track }, track.shapes.length + elements)
}

/** Whether it is to be seen where annotations are taken: there keyframes elsewhere still decide where it is. */
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

/** A skeleton is seen where any of its points is. */
function isSeen({ shapes, elements }: Track, first: number, last: number): boolean {
  const all = elements.length > 0 ? elements.map((element) => element.shapes) : [shapes]
  return all.some((own) => firstVisible(own, first, last) !== undefined)
}
