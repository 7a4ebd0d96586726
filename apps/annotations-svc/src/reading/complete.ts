import type { Shape, Tag, Track } from '@reticle/contracts/rest/annotations'
import type { AnnotationRow } from '@reticle/contracts/row-lines'
import type { LabelIndex, LabelRules, SpecSet, SpecValue } from '../validation/labels.ts'
import { answerText, type Checked, latinRow, objectOf } from './objects.ts'

/**
 * Completes objects with the current labels: adds attributes that are newer than the object, drops values of deleted
 * attributes and elements of deleted labels. Complete objects are not changed.
 */
export async function* completeRows(
  batches: AsyncIterable<AnnotationRow[]> | Iterable<AnnotationRow[]>,
  labels: LabelIndex,
): AsyncGenerator<AnnotationRow[]> {
  for await (const rows of batches) {
    yield rows.flatMap((row) => completeRow(row, labels) ?? [])
  }
}

export function completeRow(row: AnnotationRow, labels: LabelIndex): AnnotationRow | undefined {
  const whole = completeObject(objectOf(row), labels)
  return whole && latinRow(row.kind, answerText(whole))
}

/**
 * Completes an object with the current labels. An object with an unknown label stays as it is, because the event that
 * deletes or replaces the label is pending. Returns undefined for a skeleton without remaining elements, since no
 * geometry is left.
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
 * A keyframe without a value takes that of the previous keyframe, the first one the default. When an attribute
 * changed between mutable and immutable, which a label mapping can cause, its value moves between the track and the
 * first keyframe.
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
  stored: readonly SpecValue[],
  specs: SpecSet,
  missing: readonly SpecValue[] = specs.defaults,
): SpecValue[] {
  const given = new Map(stored.map((one) => [one.spec_id, one.value]))
  return missing.map(({ spec_id, value }) => ({ spec_id, value: given.get(spec_id) ?? value }))
}
