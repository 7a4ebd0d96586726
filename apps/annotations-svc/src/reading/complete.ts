import type { Shape, Tag, Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { Row } from '@reticle/contracts/row-lines'
import type { AttributeValue, LabelIndex, LabelRules, SpecSet } from '../validation/labels.ts'
import { answerText, type Checked, latinRow, objectOf } from './objects.ts'

/**
 * Objects as today's labels have them (`spec/api-annotations.md` 1.4): attributes made since they were stored are filled
 * in, values of attributes that were deleted are gone, and so are elements whose label was.
 */
export async function* completeRows(
  batches: AsyncIterable<Row[]> | Iterable<Row[]>,
  labels: LabelIndex,
): AsyncGenerator<Row[]> {
  for await (const rows of batches) {
    yield rows.map((row) => {
      const whole = completeObject(objectOf(row), labels)
      return latinRow(row.kind, answerText(whole))
    })
  }
}

/** An object whose label is not known stays as it is: the event that removes or renames it is on its way. */
export function completeObject(checked: Checked, labels: LabelIndex): Checked {
  const label = labels.byId.get(checked.object.label_id)
  if (!label) return checked
  const { kind } = checked
  if (kind === 'tag') return { kind, object: completeTag(checked.object, label) }
  if (kind === 'shape') return { kind, object: completeShape(checked.object, label) }
  return { kind, object: completeTrack(checked.object, label) }
}

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
    ...track,
    attributes: complete(track.attributes, label.immutable),
    shapes: completeKeyframes(track.shapes, label),
    elements: track.elements.flatMap((one) => {
      const sublabel = label.elements.get(one.label_id)
      if (!sublabel) return []
      const attributes = complete(one.attributes, sublabel.immutable)
      return [{ ...one, attributes, shapes: completeKeyframes(one.shapes, sublabel) }]
    }),
  }
}

/** A keyframe takes a value it lacks from the one before, the first takes the default. */
function completeKeyframes(shapes: readonly TrackShape[], label: LabelRules): TrackShape[] {
  let before = label.mutable.defaults
  return shapes.map((shape) => {
    const attributes = complete(shape.attributes, label.mutable, before)
    before = attributes
    return { ...shape, attributes }
  })
}

function complete(
  stored: readonly AttributeValue[],
  specs: SpecSet,
  missing: readonly AttributeValue[] = specs.defaults,
): AttributeValue[] {
  const given = new Map(stored.map((one) => [one.spec_id, one.value]))
  return missing.map(({ spec_id, value }) => ({ spec_id, value: given.get(spec_id) ?? value }))
}
