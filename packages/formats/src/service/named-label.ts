/** Labels with lookup of attributes and skeleton elements by name. */
import { FormatError, type Place } from '../errors.ts'
import { noteUnlisted } from '../intake.ts'
import { isStorableText, storedValue } from '../labels.ts'
import type { AttributeSpec, AttributeValue, Label, Run } from '../model.ts'

export interface NamedLabel {
  label: Label
  specs: ReadonlyMap<string, AttributeSpec>
  /** Elements of a skeleton, in their order. */
  parts: ReadonlyMap<string, NamedLabel>
}

export function namedLabel(label: Label): NamedLabel {
  return {
    label,
    specs: new Map(label.attributes.map((spec) => [spec.name, spec])),
    parts: new Map(label.sublabels.map((sublabel) => [sublabel.name, namedLabel(sublabel)])),
  }
}

/**
 * Returns the element of a skeleton.
 * @throws {FormatError} when the skeleton has no element with that name
 */
export function partOf(skeleton: NamedLabel, name: string, place: () => Place): NamedLabel {
  const part = skeleton.parts.get(name)
  if (part) return part
  throw new FormatError(`Label '${skeleton.label.name}' has no point '${name}'`, place())
}

/** Sorts elements in the order of the label, regardless of the order in the file. */
export function inOrderOfParts<T extends { label_id: number }>(
  { label }: NamedLabel,
  parts: readonly T[],
): T[] {
  const order = new Map(label.sublabels.map(({ id }, index) => [id, index]))
  return parts.toSorted((a, b) => (order.get(a.label_id) ?? 0) - (order.get(b.label_id) ?? 0))
}

/** Values of one element, in its order; for two values of one attribute the later one counts. */
export type Values = Map<AttributeSpec, AttributeValue>

/** Adds a value. Returns false when the label does not have the attribute. */
export function addValue(
  values: Values,
  { label, specs }: NamedLabel,
  { name, text }: { name: string; text: string },
  { run, place }: { run: Run; place: () => Place },
): boolean {
  const spec = specs.get(name)
  if (!spec) return false
  // Building a place is slow, so it is done only for values that may be invalid.
  const isWord = spec.input_type !== 'checkbox' || text === 'true' || text === 'false'
  const isPlain = isWord && isStorableText(text)
  const value = isPlain ? text : storedValue(spec, text, place())
  if (value === undefined) return true
  noteUnlisted(run, spec, value, () => ({ label: label.name, place: place() }))
  values.set(spec, { spec_id: spec.id, value })
  return true
}

/** Returns the values of mutable or of immutable attributes. */
export function valuesThat(values: Values, isMutable: boolean): AttributeValue[] {
  return [...values].flatMap(([spec, value]) => (spec.mutable === isMutable ? value : []))
}
