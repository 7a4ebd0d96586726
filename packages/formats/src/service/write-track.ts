/** Writes tracks as elements. */
import type { Part, Shape, Track, TrackShape } from '../model.ts'
import { type Frames, type Listed, walkListed } from './walk-track.ts'
import {
  bit,
  elementNames,
  groupText,
  inOrder,
  type Labels,
  placeText,
  sourceText,
} from './write-shape.ts'
import type { WrittenLabel } from './written-label.ts'

export interface TrackPlace {
  labels: Labels
  part: Part
  frames: Frames
  /** Attributes ` task_id="7" subset="train"` in projects. */
  origin: string
}

/** Yields a track in pieces; nothing when it is on none of the frames. */
export function* trackTexts(track: Track, id: number, place: TrackPlace): Generator<string> {
  const written = place.labels.get(track.label_id)
  if (!written) return
  const elements = inOrder(track.elements, written)
  const ordered = { ...track, elements }
  let isOpen = false
  for (const listed of walkListed(ordered, place.frames)) {
    if (!isOpen) yield openText(track, id, written, place)
    isOpen = true
    yield listedText(listed, ordered, written, place)
  }
  if (isOpen) yield '  </track>\n'
}

/** Formats a shape as a track that is visible on one frame; `hiddenOn` is the frame on which it ends, if any. */
export function shapeTrackText(
  shape: Shape,
  id: number,
  place: TrackPlace,
  hiddenOn: number | undefined,
): string {
  const written = place.labels.get(shape.label_id)
  if (!written) return ''
  const elements = inOrder(shape.elements, written)
  const states = [{ frame: shape.frame, isHidden: false }]
  if (hiddenOn !== undefined) states.push({ frame: hiddenOn, isHidden: true })
  const listed = states.map(({ frame, isHidden }): Listed => {
    const stateOf = (one: Shape): TrackShape => {
      return { ...one, frame, keyframe: true, outside: isHidden || one.outside }
    }
    return { shape: stateOf(shape), parts: elements.map(stateOf) }
  })
  const track = {
    ...shape,
    attributes: [],
    elements: elements.map((one) => ({ ...one, attributes: [] })),
  }
  const texts = listed.map((one) => listedText(one, track, written, place))
  return `${openText(shape, id, written, place)}${texts.join('')}  </track>\n`
}

type Head = Pick<Track, 'source' | 'group'>

function openText(track: Head, id: number, { name }: WrittenLabel, { origin }: TrackPlace): string {
  return `  <track id="${id}" ${name}${sourceText(track)}${origin}${groupText(track)}>\n`
}

/** Parts of a track that each of its shapes repeats. */
interface Constant {
  attributes: Track['attributes']
  elements: readonly Pick<Track, 'label_id' | 'attributes'>[]
}

function listedText(
  { shape, parts }: Listed,
  { attributes, elements }: Constant,
  written: WrittenLabel,
  { labels, part }: TrackPlace,
): string {
  const name = elementNames[shape.type]
  const { origin, step } = part.about
  const frame = ` frame="${origin + shape.frame * step}" keyframe="${bit(shape.keyframe)}"`
  const flags = shape.type === 'skeleton' ? ownFlags(shape, parts) : flagsText(shape)
  const partTexts = elements.map((element, at) => {
    const own = parts[at]
    const label = labels.get(element.label_id)
    return own && label ? partText(own, element.attributes, label) : ''
  })
  const values = written.attributes([...attributes, ...shape.attributes], '      ')
  const head = `    <${name}${frame}${flags}${placeText(shape)} z_order="${shape.z_order}">\n`
  return `${head}${partTexts.join('')}${values}    </${name}>\n`
}

const flagsText = ({ outside, occluded }: TrackShape): string =>
  ` outside="${bit(outside)}" occluded="${bit(occluded)}"`

/** Formats flags. A skeleton is hidden where all its elements are, so its own flag is written only when it differs. */
function ownFlags(shape: TrackShape, parts: readonly (TrackShape | undefined)[]): string {
  const known = parts.filter((part) => part !== undefined)
  const follows = known.length > 0 && known.every(({ outside }) => outside)
  const outside = follows === shape.outside ? '' : ` outside="${bit(shape.outside)}"`
  return `${outside}${shape.occluded ? ' occluded="1"' : ''}`
}

function partText(
  shape: TrackShape,
  attributes: Track['attributes'],
  written: WrittenLabel,
): string {
  const name = elementNames[shape.type]
  const head = `${written.name} keyframe="${bit(shape.keyframe)}"${flagsText(shape)}`
  const values = written.attributes([...attributes, ...shape.attributes], '        ')
  return `      <${name} ${head}${placeText(shape)}>\n${values}      </${name}>\n`
}
