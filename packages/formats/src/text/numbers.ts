/** Parses numbers in texts of files without allocating substrings, and formats them. */

import { type ErrorLocation, FormatError } from '../report/errors.ts'

/** Maximum absolute coordinate. */
export const furthest = 10_000_000

/** Maximum number of values of one object. */
const mostNumbers = 200_000

export type Fail = (reason: string) => Error

/**
 * Parses a number.
 * @throws the error that `fail` creates for a text that is not a number, or a number that is too large
 */
export function readNumber(text: string, fail: Fail): number {
  const value = numberIn(text, 0, text.length)
  if (Math.abs(value) <= furthest) return value
  throw fail(`"${shown(text)}" is no number within ${-furthest} to ${furthest}`)
}

/** Parses a whole number. */
export function readInteger(text: string, fail: Fail): number {
  const value = numberIn(text, 0, text.length)
  if (Number.isSafeInteger(value)) return value
  throw fail(`"${shown(text)}" is no whole number`)
}

/** Parses `1.00,2.00;3.00,4.00`; a blank text has no points. */
export function readPairs(text: string, fail: Fail): number[] {
  const numbers: number[] = []
  if (text.trim() === '') return numbers
  for (let from = 0; from <= text.length; ) {
    const semicolon = text.indexOf(';', from)
    const end = semicolon < 0 ? text.length : semicolon
    const comma = text.indexOf(',', from)
    if (comma < 0 || comma >= end) {
      throw fail(`"${shown(text.slice(from, end))}" is no point, expected x,y`)
    }
    const x = numberIn(text, from, comma)
    const y = numberIn(text, comma + 1, end)
    if (!(Math.abs(x) <= furthest && Math.abs(y) <= furthest)) {
      throw fail(`"${shown(text.slice(from, end))}" is no point of two numbers`)
    }
    numbers.push(x, y)
    from = end + 1
  }
  return counted(numbers, fail)
}

/** Parses `3, 5, 7` with or without blanks: whole numbers, none below 0. */
export function readCounts(text: string, fail: Fail): number[] {
  const counts: number[] = []
  for (let from = 0; from <= text.length; ) {
    const comma = text.indexOf(',', from)
    const end = comma < 0 ? text.length : comma
    const count = numberIn(text, from, end)
    if (!(count >= 0 && Number.isSafeInteger(count))) {
      throw fail(`rle: "${shown(text.slice(from, end))}" is no count of pixels`)
    }
    counts.push(count)
    from = end + 1
  }
  return counted(counts, fail)
}

function counted(numbers: number[], fail: Fail): number[] {
  if (numbers.length <= mostNumbers) return numbers
  throw fail(`${numbers.length} numbers, at most ${mostNumbers} are allowed`)
}

/**
 * Checks the number of values of an object.
 * @throws {FormatError} for more values than an object may have
 */
export function assertFewNumbers({ length }: readonly number[], location: ErrorLocation): void {
  if (length <= mostNumbers) return
  throw new FormatError(
    `the shape has ${length} numbers, at most ${mostNumbers} are allowed`,
    location,
  )
}

/**
 * Checks the coordinates of a box.
 * @throws {FormatError} for a box that exceeds the coordinate range
 */
export function assertNear(points: readonly number[], location: ErrorLocation): void {
  const far = points.find((value) => !(Math.abs(value) <= furthest))
  if (far === undefined) return
  const reason = `the box reaches ${far}, expected coordinates within ${-furthest} to ${furthest}`
  throw new FormatError(reason, location)
}

const shown = (text: string): string => text.slice(0, 40)

/** Parses the number between two positions of a text; NaN if there is none. Returns 0 for -0. */
function numberIn(text: string, start: number, stop: number): number {
  let at = start
  let end = stop
  while (at < end && text.charCodeAt(at) === blank) at += 1
  while (end > at && text.charCodeAt(end - 1) === blank) end -= 1
  const isNegative = text.charCodeAt(at) === minus
  if (isNegative) at += 1
  const value = plainNumber(text, at, end) ?? otherNumber(text.slice(at, end))
  return isNegative ? 0 - value : value
}

/**
 * Parses up to 15 digits with at most one decimal point. The integer and the power of ten are then exact, so their
 * quotient is correctly rounded, as with any other parser.
 */
function plainNumber(text: string, start: number, end: number): number | undefined {
  let digits = 0
  let point = -1
  if (end - start > 16 || end === start) return undefined
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= zero && code <= nine) digits = digits * 10 + (code - zero)
    else if (code === dot && point < 0 && at > start) point = at
    else return undefined
  }
  if (point < 0) return end - start > 15 ? undefined : digits
  return digits / (powers[end - point - 1] ?? 1)
}

const blank = 0x20
const minus = 0x2d
const comma = 0x2c
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const powers = Array.from({ length: 16 }, (_, power) => 10 ** power)

/** Maximum length of a number in characters; the largest one without an exponent has 309 digits. */
export const longestNumber = 400

function otherNumber(text: string): number {
  const isNumber = text.length <= longestNumber && numberText.test(text)
  return isNumber ? Number(text) : Number.NaN
}

const numberText = /^\+?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** Returns the shortest text with at least one decimal, so that all readers parse a float: `12.0`. */
export function floatText(value: number): string {
  if (value < 0) return `-${floatText(-value)}`
  // Most values have at most two decimals; composing their text is several times as fast as the shortest text of the
  // engine.
  const hundredths = Math.round(value * 100)
  if (hundredths / 100 === value && hundredths < 2 ** 31) {
    const whole = Math.trunc(hundredths / 100)
    return whole + (decimals[hundredths - 100 * whole] ?? '')
  }
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/**
 * Formats floats separated by commas. Digits are written directly, because this takes a large share of polygon
 * exports.
 */
export function floatsText(values: readonly number[]): string {
  const most = values.length * longestFloat
  if (scratch.bytes.length < most) scratch.bytes = Buffer.alloc(2 * most)
  const { bytes } = scratch
  let end = 0
  for (let at = 0; at < values.length; at += 1) {
    if (at > 0) bytes[end++] = comma
    end = putFloat(bytes, end, values[at] ?? 0)
  }
  return bytes.toString('latin1', 0, end)
}

/** Buffer that is reused for every list. */
const scratch = { bytes: Buffer.alloc(65_536) }
const longestFloat = 26

/** Writes a float and returns the end position. */
function putFloat(bytes: Buffer, start: number, value: number): number {
  const hundredths = Math.round(value * 100)
  const isPlain = hundredths >= 0 && hundredths < 2 ** 31 && hundredths / 100 === value
  if (!isPlain) return start + bytes.write(floatText(value), start, 'latin1')
  const whole = Math.trunc(hundredths / 100)
  const rest = hundredths - 100 * whole
  const tenths = Math.trunc(rest / 10)
  let end = putWhole(bytes, start, whole)
  bytes[end++] = dot
  bytes[end++] = zero + tenths
  if (rest > 10 * tenths) bytes[end++] = zero + rest - 10 * tenths
  return end
}

function putWhole(bytes: Buffer, start: number, value: number): number {
  let end = start + 1
  for (let more = value; more >= 10; more = Math.trunc(more / 10)) end += 1
  let rest = value
  for (let at = end - 1; at >= start; at -= 1) {
    const shorter = Math.trunc(rest / 10)
    bytes[at] = zero + rest - 10 * shorter
    rest = shorter
  }
  return end
}

const decimals = Array.from({ length: 100 }, (_, at) => (at / 100).toFixed(2).slice(1)).map(
  (text) => (text.endsWith('0') ? text.slice(0, -1) : text),
)
