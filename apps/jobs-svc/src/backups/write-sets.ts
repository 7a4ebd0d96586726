import type {
  Shape as RestShape,
  Tag as RestTag,
  Track as RestTrack,
} from '@reticle/contracts/rest/annotations'
import type { Label } from '@reticle/contracts/rest/labels'
import {
  arrayOf,
  decodeRows,
  decodeShape,
  decodeTag,
  decodeTrack,
  type RowKind,
  rowKinds,
} from '@reticle/contracts/row-lines'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { unavailable } from '@reticle/kit'

/** Names of labels and attributes by their ids. */
interface LabelNames {
  label: (id: number) => string
  attribute: (id: number) => string
}

export function namesOf(labels: readonly Label[]): LabelNames {
  const all = labels.flatMap((label) => [label, ...label.sublabels])
  const names = new Map(all.map(({ id, name }) => [id, name]))
  const specs = new Map(all.flatMap((one) => one.attributes.map(({ id, name }) => [id, name])))
  const known = (map: ReadonlyMap<number, string>) => (id: number) => map.get(id) ?? changed()
  return { label: known(names), attribute: known(specs) }
}

/** Reports labels that changed since they were read, as a transient error: a retry reads them again. */
function changed(): never {
  throw unavailable('Labels were changed meanwhile.')
}

/**
 * Writes one annotation set of `annotations.json`: the tags, shapes and tracks of a job, with names instead of ids.
 *
 * @param rows row lines of the job
 */
export async function* setText(
  rows: AsyncIterable<Uint8Array>,
  names: LabelNames,
  report: ReportWriter,
): AsyncGenerator<string> {
  let at = 0
  let isFirst = true
  const open = (kind: RowKind) => `${kind === 'tag' ? '{"version":0,' : '],'}"${arrayOf[kind]}":[`
  yield open('tag')
  for await (const batch of decodeRows(rows)) {
    for (const { kind, columns } of batch) {
      for (; rowKinds[at] !== kind; isFirst = true) yield open(rowKinds[++at] ?? unordered())
      yield `${isFirst ? '' : ','}${JSON.stringify(toArchive[kind](columns, names))}`
      isFirst = false
      report.created(arrayOf[kind])
    }
  }
  for (const kind of rowKinds.slice(at + 1)) yield open(kind)
  yield ']}'
}

function unordered(): never {
  throw new Error('row lines are not in the order tags, shapes, tracks')
}

const toArchive: Record<RowKind, (columns: string[], names: LabelNames) => unknown> = {
  tag: (columns, names) => tagOf(decodeTag(columns), names),
  shape: (columns, names) => shapeOf(decodeShape(columns), names),
  track: (columns, names) => trackOf(decodeTrack(columns), names),
}

function tagOf({ frame, group, source, attributes, label_id }: RestTag, names: LabelNames) {
  const label = names.label(label_id)
  return { frame, group: group ?? 0, source, attributes: valuesOf(attributes, names), label }
}

const valuesOf = (attributes: RestTag['attributes'], { attribute }: LabelNames) =>
  attributes.map(({ spec_id, value }) => ({ name: attribute(spec_id), value }))

type Place = Pick<RestShape, 'type' | 'occluded' | 'outside' | 'z_order' | 'rotation' | 'points'>

function placeOf({ type, occluded, outside, z_order, rotation, points }: Place) {
  const place = { type, occluded, outside, z_order, rotation }
  return { ...place, points: type === 'ellipse' ? toArchiveEllipse(points) : points }
}

/** Formats a shape. The default score of 1 is omitted, as CVAT does. */
function elementOf(shape: Omit<RestShape, 'elements'>, names: LabelNames) {
  const { score } = shape
  return { ...placeOf(shape), ...tagOf(shape, names), ...(score !== 1 && { score }) }
}

const shapeOf = (shape: RestShape, names: LabelNames) => ({
  ...elementOf(shape, names),
  elements: shape.elements.map((one) => elementOf(one, names)),
})

function trackElementOf(track: Omit<RestTrack, 'elements'>, names: LabelNames) {
  const shapes = track.shapes.map((shape) => ({
    ...placeOf(shape),
    frame: shape.frame,
    attributes: valuesOf(shape.attributes, names),
    ...(!shape.keyframe && { keyframe: false }),
  }))
  return { ...tagOf(track, names), shapes }
}

const trackOf = (track: RestTrack, names: LabelNames) => ({
  ...trackElementOf(track, names),
  elements: track.elements.map((one) => trackElementOf(one, names)),
})

/** Converts an ellipse from centre and radii to the form of archives, which is CVAT's: centre, right x and top y. */
export const toArchiveEllipse = ([x = 0, y = 0, rx = 0, ry = 0]: readonly number[]): number[] => [
  x,
  y,
  x + rx,
  y - ry,
]

/** Converts an ellipse back. Rounding removes the floating-point error of the addition. */
export const fromArchiveEllipse = ([x = 0, y = 0, right = 0, top = 0]: readonly number[]) => [
  x,
  y,
  rounded(right - x),
  rounded(y - top),
]

const digits = 1e9

const rounded = (radius: number) => Math.round(radius * digits) / digits
