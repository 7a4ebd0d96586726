/** Headers of tar archives: POSIX ustar, the GNU variant, and pax records. */
import { FormatError } from '../report/errors.ts'
import { decodeName } from './names.ts'

export const blockBytes = 512

/** Fields of a header with a valid checksum. */
export interface TarHeader {
  name: string
  size: number
  /** One character; `0` for old archives that do not set it. */
  type: string
}

export function damagedTar(what: string): FormatError {
  return new FormatError(`archive is damaged: ${what}`)
}

/** Returns whether a block is a member header. Archives from before 1988 have no magic, but all have a checksum. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < blockBytes) return false
  const claimed = parseOctal(textAt(block, 148, 8))
  if (claimed === undefined) return false
  // Some old writers computed the sum over signed bytes.
  return sumOf(block, (byte) => byte) === claimed || sumOf(block, signed) === claimed
}

/**
 * Parses a header block.
 * @throws {FormatError} for an invalid number
 */
export function readTarHeader(block: Uint8Array): TarHeader {
  const bytes = (at: number, length: number): Uint8Array =>
    untilNul(block.subarray(at, at + length))
  const own = decodeName(bytes(0, 100))
  // GNU tar stores other fields where POSIX has the prefix.
  const isPosix = textAt(block, 257, 6) === 'ustar\0'
  const prefix = isPosix ? decodeName(bytes(345, 155)) : ''
  const type = String.fromCharCode(block[156] ?? 0)
  return {
    name: prefix === '' ? own : `${prefix}/${own}`,
    size: readSize(block.subarray(124, 136)),
    type: type === '\0' || type === '7' ? '0' : type,
  }
}

/** Parses a size: octal digits, or a binary number when the first bit is set. */
function readSize(field: Uint8Array): number {
  const first = field[0] ?? 0
  if (first < 0x80) {
    const size = parseOctal(Buffer.from(field).toString('latin1'))
    if (size === undefined) throw damagedTar('the size of a member is no number')
    return size
  }
  let size = first & 0x7f
  for (const byte of field.subarray(1)) size = size * 256 + byte
  if (first !== 0x80 || !Number.isSafeInteger(size)) throw damagedTar('a size is out of range')
  return size
}

/** Parses octal digits surrounded by blanks or NULs; an empty field is 0. */
function parseOctal(text: string): number | undefined {
  const found = /^[ \0]*(?:([0-7]+)[ \0]*)?$/.exec(text)
  return found ? Number.parseInt(found[1] ?? '0', 8) : undefined
}

const signed = (byte: number): number => (byte << 24) >> 24

/** Sums the bytes of a header; the checksum field itself counts as blanks. */
function sumOf(block: Uint8Array, weigh: (byte: number) => number): number {
  let sum = 8 * 32
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += weigh(block[at] ?? 0)
  return sum
}

const textAt = (block: Uint8Array, at: number, length: number): string =>
  Buffer.from(block.subarray(at, at + length)).toString('latin1')

export function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/**
 * Parses the records of a pax header: `<length> <key>=<value>\n`; the length covers the whole record.
 * @throws {FormatError} when the lengths do not match the content
 */
export function readPax(content: Uint8Array): Map<string, Uint8Array> {
  const records = new Map<string, Uint8Array>()
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(0x20, at)
    const length = blank < 0 ? Number.NaN : Number(textAt(content, at, blank - at))
    const end = at + length
    const equals = content.indexOf(0x3d, blank)
    const isWhole = Number.isInteger(length) && equals > blank && equals < end - 1
    if (!isWhole || end > content.length || content[end - 1] !== 0x0a)
      throw damagedTar('a pax record does not add up')
    records.set(
      textAt(content, blank + 1, equals - blank - 1),
      content.subarray(equals + 1, end - 1),
    )
    at = end
  }
  return records
}
