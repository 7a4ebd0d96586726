/** Reads fields of parsed JSON records. Every error names the field and the expected value. */
import { type ErrorLocation, FormatError } from '../report/errors.ts'

export type JsonRecord = Record<string, unknown>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a whole number; numeric texts are accepted. */
export function readInteger(record: JsonRecord, field: string, location: ErrorLocation): number {
  const value = record[field]
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw createFieldError(field, value, 'an integer', location)
}

export function readText(record: JsonRecord, field: string, location: ErrorLocation): string {
  const value = record[field]
  if (typeof value === 'string' && value !== '') return value
  throw createFieldError(field, value, 'a text', location)
}

/** Maximum number of values in a list: more than any object may have, because rasterizers walk them all. */
const numbersInList = 200_000

/** Reads a list of finite numbers; `field` is only its name for messages. */
export function readNumbers(value: unknown, field: string, location: ErrorLocation): number[] {
  if (isNumbers(value)) {
    if (value.length <= numbersInList) return value
    throw new FormatError(
      `${field} has ${value.length} numbers, at most ${numbersInList}`,
      location,
    )
  }
  if (!Array.isArray(value)) throw createFieldError(field, value, 'a list of numbers', location)
  const at = value.findIndex((entry) => !Number.isFinite(entry))
  throw createFieldError(`${field}[${at}]`, value[at], 'a finite number', location)
}

function isNumbers(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false
  // Loops by index: iterators take three times as long on lists of millions of numbers.
  for (let at = 0; at < value.length; at += 1) if (!Number.isFinite(value[at])) return false
  return true
}

export function readNumber(value: unknown, field: string, location: ErrorLocation): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw createFieldError(field, value, 'a finite number', location)
}

/** Reads a boolean, also in the forms of numbers and texts that tools write. */
export function readFlag(value: unknown, field: string, location: ErrorLocation): boolean {
  if (typeof value === 'boolean') return value
  const flag = flags.get(typeof value === 'string' ? value.toLowerCase() : value)
  if (flag === undefined) throw createFieldError(field, value, 'true or false', location)
  return flag
}

const flags = new Map<unknown, boolean>([
  [1, true],
  ['true', true],
  ['1', true],
  ['yes', true],
  [0, false],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** Creates the error for a field that is missing or not as expected. */
export function createFieldError(
  field: string,
  value: unknown,
  expected: string,
  location: ErrorLocation,
): FormatError {
  if (value === undefined) return new FormatError(`${field} is missing`, location)
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value)
  const shown = text?.slice(0, 40) ?? String(value)
  return new FormatError(`${field} is ${shown}, expected ${expected}`, location)
}
