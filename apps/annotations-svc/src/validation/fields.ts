import { type AnnotationSet, sources } from '@reticle/contracts/rest/annotations'
import { reportProblem, type ValidationReport } from './report.ts'

/** Readers of single members. They are strict about types: `"0"` is not a number. */

/** JSON object; only known members are read. */
export type JsonFields = Readonly<Record<string, unknown>>

export type AnnotationSource = AnnotationSet['tags'][number]['source']

const largestInt = 2_147_483_647

export const isFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object, or reports a problem and returns undefined. */
export function readFields(report: ValidationReport, value: unknown): JsonFields | undefined {
  if (isFields(value)) return value
  const text = `Invalid data. Expected a dictionary, but got ${nameOf(value)}.`
  reportProblem(report, 'invalid', text, 'non_field_errors')
  return undefined
}

/** Bounds of a number. Constants, because numbers are read millions of times. */
export interface Bounds {
  /** Default; absent: the member is required. */
  fallback?: number
  min: number
  max: number
}

const ids: Bounds = { min: -largestInt - 1, max: largestInt }
const groups: Bounds = { fallback: 0, min: 0, max: largestInt }

/** Bounds of a frame number or label id: an integer from 0. */
export const naturals: Bounds = { min: 0, max: largestInt }
/** Bounds of an integer with default 0. */
export const integers: Bounds = { fallback: 0, min: -largestInt - 1, max: largestInt }

/** Reads a 32-bit integer. */
export function readInteger(
  report: ValidationReport,
  fields: JsonFields,
  name: string,
  bounds: Bounds = ids,
): number {
  const value = fields[name]
  if (value !== undefined && !Number.isInteger(value)) {
    reportProblem(report, 'invalid', notA(value, 'A valid integer is required.'), name)
    return 0
  }
  return readNumber(report, fields, name, bounds)
}

/** Reads a number within bounds. */
export function readNumber(
  report: ValidationReport,
  fields: JsonFields,
  name: string,
  bounds: Bounds,
): number {
  const { fallback, min, max } = bounds
  const value = fields[name]
  if (value === undefined && fallback !== undefined) return fallback
  if (typeof value !== 'number') {
    if (value === undefined) reportProblem(report, 'required', 'This field is required.', name)
    else reportProblem(report, 'invalid', notA(value, 'A valid number is required.'), name)
    return 0
  }
  if (value < min) {
    reportProblem(report, 'invalid', `Ensure this value is greater than or equal to ${min}.`, name)
  } else if (!(value <= max)) {
    reportProblem(report, 'invalid', `Ensure this value is less than or equal to ${max}.`, name)
  }
  return value === 0 ? 0 : value // -0 is stored as 0
}

export function readFlag(
  report: ValidationReport,
  fields: JsonFields,
  name: string,
  fallback: boolean,
): boolean {
  const value = fields[name]
  if (value === undefined) return fallback
  if (typeof value === 'boolean') return value
  reportProblem(report, 'invalid', notA(value, 'Must be a valid boolean.'), name)
  return fallback
}

/** Reads the group; null and 0 both mean "no group". */
export function readGroup(report: ValidationReport, fields: JsonFields): number {
  if (fields.group === null) return 0
  return readInteger(report, fields, 'group', groups)
}

/** Reads one of a few words; required unless there is a fallback. */
export function readWord<const W extends string>(
  report: ValidationReport,
  fields: JsonFields,
  name: string,
  words: readonly W[],
): W | undefined {
  const value = fields[name]
  const word = words.find((one) => one === value)
  if (word !== undefined) return word
  if (value === undefined) reportProblem(report, 'required', 'This field is required.', name)
  else
    reportProblem(report, 'invalid', notA(value, `"${shown(value)}" is not a valid choice.`), name)
  return undefined
}

export function readSource(report: ValidationReport, fields: JsonFields): AnnotationSource {
  const value = fields.source
  if (value === undefined) return 'manual'
  const source = sources.find((one) => one === value)
  if (source === undefined) {
    reportProblem(report, 'source_invalid', `must be one of ${sources.join(', ')}`, 'source')
  }
  return source ?? 'manual'
}

/** Reads a list, empty when absent; undefined after a problem. */
export function readList(
  report: ValidationReport,
  fields: JsonFields,
  name: string,
): unknown[] | undefined {
  const value = fields[name]
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  const text = `Expected a list of items but got type "${nameOf(value)}".`
  reportProblem(report, 'invalid', notA(value, text), name)
  return undefined
}

/** Reads an optional id. */
export function readId(report: ValidationReport, fields: JsonFields): number | null {
  const { id } = fields
  if (id === undefined || id === null) return null
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id
  reportProblem(report, 'invalid', 'A valid integer is required.', 'id')
  return null
}

const notA = (value: unknown, text: string) =>
  value === null ? 'This field may not be null.' : text

export function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value === null) return 'null'
  if (typeof value === 'string') return 'str'
  return typeof value === 'object' ? 'dict' : typeof value
}

const shown = (value: unknown) => (typeof value === 'string' ? value.slice(0, 100) : nameOf(value))
