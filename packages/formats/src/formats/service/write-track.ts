/** Writes tracks as elements. */
import type {
  DatasetShape,
  DatasetTrack,
  DatasetTrackShape,
  TaskPart,
} from '../../model/dataset.ts'
import { type ExportedFrames, type TrackState, walkListed } from './walk-track.ts'
import {
  bit,
  elementNames,
  formatGeometry,
  groupText,
  inOrder,
  type Labels,
  sourceText,
} from './write-shape.ts'
import type { WrittenLabel } from './written-label.ts'

export interface TrackOutput {
  labels: Labels
  part: TaskPart
  frames: ExportedFrames
  /** Attributes ` task_id="7" subset="train"` in projects. */
  origin: string
}

/** Yields a track in pieces; nothing when it is on none of the frames. */
export function* trackTexts(
  track: DatasetTrack,
  id: number,
  output: TrackOutput,
): Generator<string> {
  const written = output.labels.get(track.label_id)
  if (!written) return
  const elements = inOrder(track.elements, written)
  const ordered = { ...track, elements }
  let isOpen = false
  for (const listed of walkListed(ordered, output.frames)) {
    if (!isOpen) yield openText(track, id, written, output)
    isOpen = true
    yield listedText(listed, ordered, written, output)
  }
  if (isOpen) yield '  </track>\n'
}

/** Formats a shape as a track that is visible on one frame; `hiddenOn` is the frame on which it ends, if any. */
export function shapeTrackText(
  shape: DatasetShape,
  id: number,
  output: TrackOutput,
  hiddenOn: number | undefined,
): string {
  const written = output.labels.get(shape.label_id)
  if (!written) return ''
  const elements = inOrder(shape.elements, written)
  const states = [{ frame: shape.frame, isHidden: false }]
  if (hiddenOn !== undefined) states.push({ frame: hiddenOn, isHidden: true })
  const listed = states.map(({ frame, isHidden }): TrackState => {
    const stateOf = (one: DatasetShape): DatasetTrackShape => {
      return { ...one, frame, keyframe: true, outside: isHidden || one.outside }
    }
    return { shape: stateOf(shape), parts: elements.map(stateOf) }
  })
  const track = {
    ...shape,
    attributes: [],
    elements: elements.map((one) => ({ ...one, attributes: [] })),
  }
  const texts = listed.map((one) => listedText(one, track, written, output))
  return `${openText(shape, id, written, output)}${texts.join('')}  </track>\n`
}

type Head = Pick<DatasetTrack, 'source' | 'group'>

function openText(
  track: Head,
  id: number,
  { name }: WrittenLabel,
  { origin }: TrackOutput,
): string {
  return `  <track id="${id}" ${name}${sourceText(track)}${origin}${groupText(track)}>\n`
}

/** Parts of a track that each of its shapes repeats. */
interface Constant {
  attributes: DatasetTrack['attributes']
  elements: readonly Pick<DatasetTrack, 'label_id' | 'attributes'>[]
}

function listedText(
  { shape, parts }: TrackState,
  { attributes, elements }: Constant,
  written: WrittenLabel,
  { labels, part }: TrackOutput,
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
  const head = `    <${name}${frame}${flags}${formatGeometry(shape)} z_order="${shape.z_order}">\n`
  return `${head}${partTexts.join('')}${values}    </${name}>\n`
}

const flagsText = ({ outside, occluded }: DatasetTrackShape): string =>
  ` outside="${bit(outside)}" occluded="${bit(occluded)}"`

/** Formats flags. A skeleton is hidden where all its elements are, so its own flag is written only when it differs. */
function ownFlags(
  shape: DatasetTrackShape,
  parts: readonly (DatasetTrackShape | undefined)[],
): string {
  const known = parts.filter((part) => part !== undefined)
  const follows = known.length > 0 && known.every(({ outside }) => outside)
  const outside = follows === shape.outside ? '' : ` outside="${bit(shape.outside)}"`
  return `${outside}${shape.occluded ? ' occluded="1"' : ''}`
}

function partText(
  shape: DatasetTrackShape,
  attributes: DatasetTrack['attributes'],
  written: WrittenLabel,
): string {
  const name = elementNames[shape.type]
  const head = `${written.name} keyframe="${bit(shape.keyframe)}"${flagsText(shape)}`
  const values = written.attributes([...attributes, ...shape.attributes], '        ')
  return `      <${name} ${head}${formatGeometry(shape)}>\n${values}      </${name}>\n`
}
