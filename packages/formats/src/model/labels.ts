/** Converts labels and attribute values between files and the service. */
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import { longestNumber } from '../text/numbers.ts'
import type { AttributeSpec, AttributeValue, DatasetLabel } from './dataset.ts'

export interface LabelFinder {
  /**
   * Returns the label with exactly that name. Missing names are recorded, except `background`.
   * @param origin Source of the name when it is not from the file
   */
  find(name: string, origin?: string): DatasetLabel | undefined
  /**
   * Checks names at the end of the import.
   * @throws {FormatError} with all missing names
   */
  check(): void
}

/** Creates a finder for the labels of a task by the names in a file. */
export function createLabelFinder(labels: readonly DatasetLabel[]): LabelFinder {
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

/** Returns the value of a file as the text that the service stores; undefined when there is none. */
export function storedValue(
  spec: AttributeSpec,
  value: unknown,
  location: ErrorLocation,
): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'object') {
    throw new FormatError(`attribute "${spec.name}" is no text, number or boolean`, location)
  }
  const text = String(value)
  if (!isStorableText(text)) throw textRefusal(spec, text, location)
  if (spec.input_type !== 'checkbox') return text
  const lower = text.toLowerCase()
  if (lower === 'true' || lower === 'false') return lower
  throw new FormatError(`attribute "${spec.name}" is "${text}", expected true or false`, location)
}

/** Maximum length of a value in characters, which may be two UTF-16 units each. */
const longestValue = 4096

const unusable = /[\0\p{Surrogate}]/u

/** Returns whether the service can store the text for any attribute. */
export const isStorableText = (text: string): boolean =>
  (text.length <= longestValue ||
    [...text.slice(0, 2 * longestValue + 1)].length <= longestValue) &&
  !unusable.test(text)

function textRefusal({ name }: AttributeSpec, text: string, location: ErrorLocation): FormatError {
  const reason = unusable.test(text)
    ? 'has a null character or an unpaired surrogate'
    : `has ${[...text].length} characters, at most ${longestValue} are allowed`
  return new FormatError(`attribute "${name}" ${reason}: "${text.slice(0, 40)}"`, location)
}

/**
 * Returns the expected value when an attribute does not allow the given one, otherwise undefined. A server setting
 * can allow such values.
 */
export function expectedValue(
  { input_type, values, default_value }: AttributeSpec,
  text: string,
): string | undefined {
  if (text === default_value) return undefined
  if (input_type === 'select' || input_type === 'radio')
    return values.includes(text) ? undefined : oneOf(values)
  if (input_type !== 'number') return undefined
  const [least = '', most = ''] = values
  const [number, low, high] = [text, least, most].map(numberOf)
  const isBelow = low !== undefined && number !== undefined && number < low
  const isAbove = high !== undefined && number !== undefined && number > high
  if (number !== undefined && !isBelow && !isAbove) return undefined
  return `a number${low === undefined ? '' : ` from ${low}`}${high === undefined ? '' : ` to ${high}`}`
}

/** Maximum number of values in a message. */
const mostShown = 10

function oneOf(values: readonly string[]): string {
  const shown = values.slice(0, mostShown).map((value) => `"${value}"`)
  return `one of ${shown.join(', ')}${values.length > mostShown ? ', ...' : ''}`
}

const numberText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

function numberOf(text: string): number | undefined {
  const isNumber = text.length <= longestNumber && numberText.test(text)
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : undefined
}

/** Splits values by their place in a track: immutable ones belong to the track, mutable ones to its shapes. */
export function splitByMutable(label: DatasetLabel, values: readonly AttributeValue[]) {
  const mutable = new Set(label.attributes.filter((spec) => spec.mutable).map((spec) => spec.id))
  return {
    track: values.filter((value) => !mutable.has(value.spec_id)),
    shape: values.filter((value) => mutable.has(value.spec_id)),
  }
}

/**
 * Returns every attribute of the label with its value for a file: a number, boolean or text; the default when no
 * value is stored.
 * @throws {FormatError} that names attribute and value when a number or boolean is invalid
 */
export function writtenValues(
  label: DatasetLabel,
  values: readonly AttributeValue[],
  location: ErrorLocation,
): [name: string, value: string | number | boolean][] {
  const stored = new Map(values.map(({ spec_id, value }) => [spec_id, value]))
  return label.attributes.map((spec) => {
    const text = stored.get(spec.id) ?? spec.default_value
    return [spec.name, writtenValue(spec, text, location)]
  })
}

function writtenValue(
  spec: AttributeSpec,
  text: string,
  location: ErrorLocation,
): string | number | boolean {
  const refuse = (what: string): FormatError =>
    new FormatError(`attribute "${spec.name}" is "${text}", expected ${what}`, location)
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
