/** Finds lists and objects with too many members in a text that may be incomplete. */
import { byte, endOfText } from './cursor.ts'
import type { LargePart } from './member.ts'
import { MembersError } from './scan-error.ts'

const bytesBetweenPauses = 16_384
const deepest = 64

export interface CountOptions {
  /** Maximum number of members of a list or an object. */
  maxMembers: number
  /** Called between steps of about 16 KiB. */
  pause: () => Promise<void>
}

/**
 * Counts the members of every list and object of a JSON text that may be incomplete.
 * @param first Index of the first member when the part is a batch of a longer list; the members of that list are not
 * counted.
 * @throws {MembersError} for the first list or object with too many members
 */
export async function refuseCrowded(
  { bytes, offset, path }: LargePart,
  { maxMembers, pause }: CountOptions,
  first?: number,
): Promise<void> {
  const count: Count = {
    bytes,
    at: 0,
    depth: 0,
    maxMembers,
    leastDepth: first === undefined ? 1 : 2,
    commas: new Int32Array(deepest),
    closing: new Uint8Array(deepest),
    keys: new Array(deepest).fill(0),
  }
  while (count.at < bytes.length) {
    if (countMembers(count)) {
      const inside = pathOf(count)
      if (first !== undefined) inside[0] = first + Number(inside[0])
      throw new MembersError({ offset, path: [...path, ...inside], most: maxMembers })
    }
    await pause()
  }
}

interface Count {
  bytes: Uint8Array
  maxMembers: number
  /** Lists and objects at a lower depth are not counted. */
  leastDepth: number
  /** Position of the next byte. */
  at: number
  depth: number
  /** Commas so far in the open list or object at each depth. */
  commas: Int32Array
  /** Closing bracket expected at each depth. */
  closing: Uint8Array
  /** Start of the last text at each depth: the key of an object once its value is a list or an object. */
  keys: number[]
}

const closingOf = new Uint8Array(256)
closingOf[byte.openBracket] = byte.closeBracket
closingOf[byte.openBrace] = byte.closeBrace
const isClosing = (code: number) => code === byte.closeBracket || code === byte.closeBrace

/**
 * Continues counting for `bytesBetweenPauses`. Returns true when the list or object at `depth` has too many members.
 */
function countMembers(count: Count): boolean {
  const { bytes, maxMembers, keys } = count
  const stop = Math.min(bytes.length, count.at + bytesBetweenPauses)
  for (; count.at < stop; count.at += 1) {
    const code = bytes[count.at] ?? 0
    const closing = closingOf[code] ?? 0
    if (closing !== 0) open(count, closing)
    else if (isClosing(code)) count.depth = Math.max(0, count.depth - 1)
    else if (code === byte.quote) {
      keys[count.depth] = count.at
      count.at = endOfText(bytes, count.at)
    } else if (code === byte.comma && addComma(count) >= maxMembers) return true
  }
  return false
}

function open(count: Count, closing: number): void {
  count.depth = Math.min(count.depth + 1, deepest - 1)
  count.commas[count.depth] = 0
  count.closing[count.depth] = closing
}

function addComma({ depth, leastDepth, commas }: Count): number {
  const seen = (commas[depth] ?? 0) + 1
  commas[depth] = seen
  return depth < leastDepth ? 0 : seen
}

/** Returns indexes and keys from the outermost list or object to the one at `depth`. */
function pathOf({ bytes, depth, commas, closing, keys }: Count): (string | number)[] {
  return Array.from({ length: depth - 1 }, (_, index) => {
    const level = index + 1
    if (closing[level] === byte.closeBracket) return commas[level] ?? 0
    const start = keys[level] ?? 0
    return keyOf(bytes.subarray(start, endOfText(bytes, start) + 1))
  })
}

function keyOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString()
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}
