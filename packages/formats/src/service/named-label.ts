/** Labels as an import meets them: attributes and points of skeletons by name. */
import { FormatError, type Place } from '../errors.ts'
import { noteUnlisted } from '../intake.ts'
import { isStorableText, storedValue } from '../labels.ts'
import type { AttributeSpec, AttributeValue, Label, Run } from '../model.ts'

export interface NamedLabel {
  label: Label
  specs: ReadonlyMap<string, AttributeSpec>
  /** Of skeletons, in their order. */
  parts: ReadonlyMap<string, NamedLabel>
}

export function namedLabel(label: Label): NamedLabel {
  return {
    label,
    specs: new Map(label.attributes.map((spec) => [spec.name, spec])),
    parts: new Map(label.sublabels.map((sublabel) => [sublabel.name, namedLabel(sublabel)])),
  }
}

/** The point of a skeleton. @throws {FormatError} when it has none of that name */
export function partOf(skeleton: NamedLabel, name: string, place: () => Place): NamedLabel {
  const part = skeleton.parts.get(name)
  if (part) return part
  throw new FormatError(`Label '${skeleton.label.name}' has no point '${name}'`, place())
}

/** In the order of the points of the label, however a file lists them. */
export function inOrderOfParts<T extends { label_id: number }>(
  { label }: NamedLabel,
  parts: readonly T[],
): T[] {
  const order = new Map(label.sublabels.map(({ id }, index) => [id, index]))
  return parts.toSorted((a, b) => (order.get(a.label_id) ?? 0) - (order.get(b.label_id) ?? 0))
}

/** Values that one element gives, in its order; of two for one attribute the later counts. */
export type Values = Map<AttributeSpec, AttributeValue>

/** False when the label has no such attribute. */
export function addValue(
  values: Values,
  { label, specs }: NamedLabel,
  { name, text }: { name: string; text: string },
  { run, place }: { run: Run; place: () => Place },
): boolean {
  const spec = specs.get(name)
  if (!spec) return false
  // A place takes time, so it is looked up for what may be wrong.
  const isWord = spec.input_type !== 'checkbox' || text === 'true' || text === 'false'
  const isPlain = isWord && isStorableText(text)
  const value = isPlain ? text : storedValue(spec, text, place())
  if (value === undefined) return true
  noteUnlisted(run, spec, value, () => ({ label: label.name, place: place() }))
  values.set(spec, { spec_id: spec.id, value })
  return true
}

/** The values of attributes that may change along a track, or of those that may not. */
export function valuesThat(values: Values, isMutable: boolean): AttributeValue[] {
  return [...values].flatMap(([spec, value]) => (spec.mutable === isMutable ? value : []))
}
