import type { Shape, Tag, Track } from '@reticle/contracts/rest/annotations'
import type { Row } from '@reticle/contracts/row-lines'
import type { AttributeValue, LabelIndex, LabelRules, SpecSet } from '../validation/labels.ts'
import { answerText, type Checked, latinRow, objectOf } from './objects.ts'

/**
 * Objects as today's labels have them (`spec/api-annotations.md` 1.4): attributes made since they were stored are filled
 * in, values of attributes that were deleted are gone, and so are elements whose label was. What is complete stays as it is.
 */
export async function* completeRows(
  batches: AsyncIterable<Row[]> | Iterable<Row[]>,
  labels: LabelIndex,
): AsyncGenerator<Row[]> {
  for await (const rows of batches) {
    yield rows.flatMap((row) => completeRow(row, labels) ?? [])
  }
}

export function completeRow(row: Row, labels: LabelIndex): Row | undefined {
  const whole = completeObject(objectOf(row), labels)
  return whole && latinRow(row.kind, answerText(whole))
}

/**
 * An object whose label is not known stays as it is: the event that removes or renames it is on its way. Nothing for a
 * skeleton whose elements are all gone: no geometry is left of it, and no write would accept it.
 */
export function completeObject(checked: Checked, labels: LabelIndex): Checked | undefined {
  const label = labels.byId.get(checked.object.label_id)
  if (!label) return checked
  const whole = completeWith(checked, label)
  return partsOf(checked) > 0 && partsOf(whole) === 0 ? undefined : whole
}

function completeWith(checked: Checked, label: LabelRules): Checked {
  const { kind } = checked
  if (kind === 'tag') return { kind, object: completeTag(checked.object, label) }
  if (kind === 'shape') return { kind, object: completeShape(checked.object, label) }
  return { kind, object: completeTrack(checked.object, label) }
}

const partsOf = ({ kind, object }: Checked) => (kind === 'tag' ? 0 : object.elements.length)

const completeTag = (tag: Tag, label: LabelRules): Tag => ({
  ...tag,
  attributes: complete(tag.attributes, label.all),
})

function completeShape(shape: Shape, label: LabelRules): Shape {
  return {
    ...shape,
    attributes: complete(shape.attributes, label.all),
    elements: shape.elements.flatMap((one) => {
      const sublabel = label.elements.get(one.label_id)
      return sublabel ? [{ ...one, attributes: complete(one.attributes, sublabel.all) }] : []
    }),
  }
}

function completeTrack(track: Track, label: LabelRules): Track {
  return {
    ...completeParts(track, label),
    elements: track.elements.flatMap((one) => {
      const sublabel = label.elements.get(one.label_id)
      return sublabel ? [completeParts(one, sublabel)] : []
    }),
  }
}

type Parts = Pick<Track, 'attributes' | 'shapes'>

/**
 * A keyframe takes a value it lacks from the one before, the first takes the default. An attribute that changed its place
 * (the label it was mapped to may have it mutable, or no longer) takes its value along: from the track to the first keyframe,
 * from the first keyframe to the track.
 */
function completeParts<P extends Parts>(parts: P, { immutable, mutable }: LabelRules): P {
  const { attributes, shapes } = parts
  let before = complete(attributes, mutable)
  return {
    ...parts,
    attributes: complete(attributes, immutable, complete(shapes[0]?.attributes ?? [], immutable)),
    shapes: shapes.map((shape) => {
      before = complete(shape.attributes, mutable, before)
      return { ...shape, attributes: before }
    }),
  }
}

function complete(
  stored: readonly AttributeValue[],
  specs: SpecSet,
  missing: readonly AttributeValue[] = specs.defaults,
): AttributeValue[] {
  const given = new Map(stored.map((one) => [one.spec_id, one.value]))
  return missing.map(({ spec_id, value }) => ({ spec_id, value: given.get(spec_id) ?? value }))
}
