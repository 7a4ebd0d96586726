/** Finds lists and objects with too many members in a text that has not arrived whole. */
import { byte, endOfText } from './cursor.ts'

const bytesBetweenPauses = 16_384
const deepest = 256

const closingOf = new Uint8Array(256)
closingOf[byte.openBracket] = byte.closeBracket
closingOf[byte.openBrace] = byte.closeBrace
const isClosing = (code: number) => code === byte.closeBracket || code === byte.closeBrace

/**
 * Counts the members of every list and object of a JSON text whose end may be missing.
 *
 * @param isBatch the outermost list holds some elements of a longer list: it is not counted
 * @returns the text up to the first that has more than `most` members, with the closing brackets that it lacks; undefined: there
 *   is none
 */
export async function cutAtCrowded(
  bytes: Uint8Array,
  { most, isBatch, pause }: { most: number; isBatch: boolean; pause: () => Promise<void> },
): Promise<Uint8Array | undefined> {
  const count: Count = {
    ...{ at: 0, depth: 0, leastDepth: isBatch ? 2 : 1 },
    ...{ commas: new Int32Array(deepest), closing: new Uint8Array(deepest) },
  }
  while (count.at < bytes.length) {
    if (countMembers(bytes, most, count)) return closeAt(bytes, count)
    await pause()
  }
  return undefined
}

interface Count {
  /** Lists and objects further out are not counted. */
  leastDepth: number
  /** Position of the next byte. */
  at: number
  depth: number
  /** Seen so far, by depth. */
  commas: Int32Array
  /** Brackets that are still to come, by depth. */
  closing: Uint8Array
}

function open(count: Count, closing: number): void {
  count.depth = Math.min(count.depth + 1, deepest - 1)
  count.commas[count.depth] = 0
  count.closing[count.depth] = closing
}

/** Counts on for `bytesBetweenPauses`. True: the list at `depth` has too many members, the last of which begins at `at`. */
function countMembers(bytes: Uint8Array, most: number, count: Count): boolean {
  const stop = Math.min(bytes.length, count.at + bytesBetweenPauses)
  for (; count.at < stop; count.at += 1) {
    const code = bytes[count.at] ?? 0
    const closing = closingOf[code] ?? 0
    if (closing !== 0) open(count, closing)
    else if (isClosing(code)) count.depth = Math.max(0, count.depth - 1)
    else if (code === byte.quote) count.at = endOfText(bytes, count.at)
    else if (code === byte.comma && addComma(count) >= most) {
      count.at += 1
      return true
    }
  }
  return false
}

function addComma({ depth, leastDepth, commas }: Count): number {
  if (depth < leastDepth) return 0
  const seen = (commas[depth] ?? 0) + 1
  commas[depth] = seen
  return seen
}

/** The member behind the last comma becomes `0`, or `"":0` in an object. */
function closeAt(bytes: Uint8Array, { at, depth, closing }: Count): Uint8Array {
  const last = closing[depth] === byte.closeBrace ? '"":0' : '0'
  const brackets = closing.slice(1, depth + 1).reverse()
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(last), brackets])
}
