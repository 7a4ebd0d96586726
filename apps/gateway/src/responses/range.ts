import type { FastifyRequest } from 'fastify'

/** Part of a file: first and last byte, both inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses `Range` (RFC 9110 14.2) for a file of `size` bytes. Other units, multiple ranges and invalid values mean the
 * whole file; a range without any byte of the file is `none` (416).
 */
export function readRange(given: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const { first, last } = boundsOf(given ?? '') ?? { first: '', last: '' }
  if (first + last === '') return 'whole'
  if (first === '') return suffixRange(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end ? 'none' : { start, end }
}

/** Maximum length of the header; two byte positions need far less. */
const longestRange = 256

/** Returns the digits on both sides of the `-` in `bytes=0-99`. */
function boundsOf(given: string): { first: string; last: string } | undefined {
  if (given.length > longestRange) return undefined
  const [unit = '', range = '', ...more] = given.split('=')
  const [first = '', last, ...others] = range.split('-').map((digits) => digits.trim())
  if (unit.trim().toLowerCase() !== 'bytes' || last === undefined) return undefined
  const isRange = more.length + others.length === 0 && /^\d*$/.test(first) && /^\d*$/.test(last)
  return isRange ? { first, last } : undefined
}

/**
 * Returns the requested range of a file. An `If-Range` that matches none of the `states` selects the whole file (RFC
 * 9110 13.1.5).
 * @param states Entity tag of the file, and its date if it has one.
 */
export function readRequestedRange(
  { headers }: Pick<FastifyRequest, 'headers'>,
  size: number,
  states: readonly (string | undefined)[],
): ByteRange | 'whole' | 'none' {
  const condition = headers['if-range']
  const isSame = condition === undefined || states.includes(String(condition))
  return isSame ? readRange(headers.range, size) : 'whole'
}

function suffixRange(length: number, size: number): ByteRange | 'none' {
  if (length === 0 || size === 0) return 'none'
  return { start: Math.max(0, size - length), end: size - 1 }
}
