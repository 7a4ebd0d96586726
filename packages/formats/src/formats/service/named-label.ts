/** Labels with lookup of attributes and skeleton elements by name. */

import { reportUnlisted } from '../../importing/intake.ts'
import type {
  AttributeSpec,
  AttributeValue,
  ConversionRun,
  DatasetLabel,
} from '../../model/dataset.ts'
import { isStorableText, storedValue } from '../../model/labels.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'

export interface NamedLabel {
  label: DatasetLabel
  specs: ReadonlyMap<string, AttributeSpec>
  /** Elements of a skeleton, in their order. */
  parts: ReadonlyMap<string, NamedLabel>
}

export function namedLabel(label: DatasetLabel): NamedLabel {
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
export function partOf(
  skeleton: NamedLabel,
  name: string,
  location: () => ErrorLocation,
): NamedLabel {
  const part = skeleton.parts.get(name)
  if (part) return part
  throw new FormatError(`Label '${skeleton.label.name}' has no point '${name}'`, location())
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
export type ValuesBySpec = Map<AttributeSpec, AttributeValue>

/** Adds a value. Returns false when the label does not have the attribute. */
export function addValue(
  values: ValuesBySpec,
  { label, specs }: NamedLabel,
  { name, text }: { name: string; text: string },
  { run, location }: { run: ConversionRun; location: () => ErrorLocation },
): boolean {
  const spec = specs.get(name)
  if (!spec) return false
  // Building a place is slow, so it is done only for values that may be invalid.
  const isWord = spec.input_type !== 'checkbox' || text === 'true' || text === 'false'
  const isPlain = isWord && isStorableText(text)
  const value = isPlain ? text : storedValue(spec, text, location())
  if (value === undefined) return true
  reportUnlisted(run, spec, value, () => ({ label: label.name, location: location() }))
  values.set(spec, { spec_id: spec.id, value })
  return true
}

/** Returns the values of mutable or of immutable attributes. */
export function valuesThat(values: ValuesBySpec, isMutable: boolean): AttributeValue[] {
  return [...values].flatMap(([spec, value]) => (spec.mutable === isMutable ? value : []))
}
