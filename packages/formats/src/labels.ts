/** Labels and attribute values between files and the service (spec/formats.md 3.3 and 4.3). */
import { FormatError, type Place } from './errors.ts'
import type { AttributeSpec, AttributeValue, Label } from './model.ts'

export interface LabelFinder {
  /**
   * The label of that exact name; a missing one is remembered, `background` is not.
   * @param origin Where the name is from, if not from the file
   */
  find(name: string, origin?: string): Label | undefined
  /** @throws {FormatError} with all names that were looked for in vain. */
  check(): void
}

/** Finds the labels of a task by the names in a file. */
export function labelFinder(labels: readonly Label[]): LabelFinder {
  const byName = new Map(labels.map((label) => [label.name, label]))
  const missing = new Set<string>()
  const origins = new Set<string>()
  return {
    find(name, origin) {
      const label = byName.get(name)
      if (label || name === 'background') return label
      missing.add(name)
      if (origin !== undefined) origins.add(origin)
      return undefined
    },
    check() {
      if (missing.size === 0) return
      const names = [...missing].map((name) => `'${name}'`).join(', ')
      const [noun, verb] = missing.size === 1 ? ['Label', 'is'] : ['Labels', 'are']
      const reason = `${noun} ${names} ${verb} not registered for this task`
      throw new FormatError([reason, ...origins].join('; '))
    },
  }
}

/** The value of a file as the text the service stores; undefined when there is none. */
export function storedValue(spec: AttributeSpec, value: unknown, place: Place): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'object') {
    throw new FormatError(`attribute "${spec.name}" is no text, number or boolean`, place)
  }
  const text = String(value)
  if (spec.input_type !== 'checkbox') return text
  const lower = text.toLowerCase()
  if (lower === 'true' || lower === 'false') return lower
  throw new FormatError(`attribute "${spec.name}" is "${text}", expected true or false`, place)
}

/** Values split by where a track keeps them: what never changes on the track, the rest on its shapes. */
export function splitByMutable(label: Label, values: readonly AttributeValue[]) {
  const mutable = new Set(label.attributes.filter((spec) => spec.mutable).map((spec) => spec.id))
  return {
    track: values.filter((value) => !mutable.has(value.spec_id)),
    shape: values.filter((value) => mutable.has(value.spec_id)),
  }
}

/**
 * Every attribute of the label with the value a file gets: numbers, booleans and texts, the default
 * where none is stored.
 * @throws {FormatError} naming attribute and value when a number or boolean is none.
 */
export function writtenValues(
  label: Label,
  values: readonly AttributeValue[],
  place: Place,
): [name: string, value: string | number | boolean][] {
  const stored = new Map(values.map(({ spec_id, value }) => [spec_id, value]))
  return label.attributes.map((spec) => {
    const text = stored.get(spec.id) ?? spec.default_value
    return [spec.name, writtenValue(spec, text, place)]
  })
}

function writtenValue(spec: AttributeSpec, text: string, place: Place): string | number | boolean {
  const refuse = (what: string): FormatError =>
    new FormatError(`attribute "${spec.name}" is "${text}", expected ${what}`, place)
  if (spec.input_type === 'number') {
    const number = Number(text)
    if (text.trim() === '' || !Number.isFinite(number)) throw refuse('a number')
    return number
  }
  if (spec.input_type === 'checkbox') {
    const lower = text.toLowerCase()
    if (lower !== 'true' && lower !== 'false') throw refuse('true or false')
    return lower === 'true'
  }
  return text
}
