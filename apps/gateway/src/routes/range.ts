import type { FastifyRequest } from 'fastify'

/** Part of a file: first and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Reads `Range` (RFC 9110 14.2) of a file of `size` bytes. Other units, several ranges and what cannot be read mean the
 * whole file; a range that holds no byte of it is `none` (416).
 */
export function readRange(given: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const { first, last } = boundsOf(given ?? '') ?? { first: '', last: '' }
  if (first + last === '') return 'whole'
  if (first === '') return suffix(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end ? 'none' : { start, end }
}

/** A longer header is disregarded: two numbers of bytes need far less. */
const longestRange = 256

/** The digits on both sides of the `-` in `bytes=0-99`. */
function boundsOf(given: string): { first: string; last: string } | undefined {
  if (given.length > longestRange) return undefined
  const [unit = '', range = '', ...more] = given.split('=')
  const [first = '', last, ...others] = range.split('-').map((digits) => digits.trim())
  if (unit.trim().toLowerCase() !== 'bytes' || last === undefined) return undefined
  const isRange = more.length + others.length === 0 && /^\d*$/.test(first) && /^\d*$/.test(last)
  return isRange ? { first, last } : undefined
}

/**
 * The range of a file that is asked for. `If-Range` that names none of the `states` the file is in makes it the whole file
 * (RFC 9110 13.1.5).
 *
 * @param states its entity tag, and its date where it has one
 */
export function wantedRange(
  { headers }: Pick<FastifyRequest, 'headers'>,
  size: number,
  states: readonly (string | undefined)[],
): ByteRange | 'whole' | 'none' {
  const condition = headers['if-range']
  const isSame = condition === undefined || states.includes(String(condition))
  return isSame ? readRange(headers.range, size) : 'whole'
}

function suffix(length: number, size: number): ByteRange | 'none' {
  if (length === 0 || size === 0) return 'none'
  return { start: Math.max(0, size - length), end: size - 1 }
}
