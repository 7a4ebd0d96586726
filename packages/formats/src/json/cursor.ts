/** The bytes under the scanner: a sliding window over the document, and the loops that walk it. */
import { ScanError } from './scan-error.ts'

export const byte = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/** Limits of a scan; see `ScanOptions`. */
export interface ScanLimits {
  batchBytes: number
  maxDepth: number
  maxTextBytes: number
  maxItemBytes: number
}

export interface Cursor {
  limits: ScanLimits
  bytes: Uint8Array
  /** The same memory in words of four bytes. */
  words: Uint32Array
  /** Number of filled bytes. */
  end: number
  pos: number
  /** First byte that is still needed; earlier bytes may be overwritten. */
  start: number
  /** Offset of `bytes[0]` in the document. */
  base: number
  depth: number
  isInText: boolean
  /** Offset of the current text's opening quote in the document. */
  textStart: number
  /** Whether a comma between elements may end a batch. */
  mayCut: boolean
  /** Number of commas so far between the elements of the current array. */
  commas: number
}

export function createCursor(limits: ScanLimits): Cursor {
  return {
    limits,
    bytes: new Uint8Array(0),
    words: new Uint32Array(0),
    end: 0,
    pos: 0,
    start: 0,
    base: 0,
    depth: 1,
    isInText: false,
    textStart: 0,
    mayCut: false,
    commas: 0,
  }
}

/** Appends a piece after the bytes that are still needed. */
export function appendPiece(cursor: Cursor, piece: Uint8Array): void {
  const { start, end } = cursor
  const filled = end - start + piece.length
  if (end - start > cursor.limits.maxItemBytes) {
    throw new ScanError(`larger than ${cursor.limits.maxItemBytes} bytes`, cursor.base + start)
  }
  const held = cursor.bytes.subarray(start, end)
  const isTooSmall = filled > cursor.bytes.length
  if (isTooSmall) {
    cursor.words = new Uint32Array(Math.ceil(filled / 2))
    cursor.bytes = new Uint8Array(cursor.words.buffer)
  }
  if (isTooSmall || start > 0) cursor.bytes.set(held, 0) // a long element stays in place
  cursor.bytes.set(piece, end - start)
  cursor.base += start
  cursor.pos -= start
  cursor.start = 0
  cursor.end = filled
}

/** Skips blanks and returns the byte after them, or undefined at the end of the window. */
export function skipBlanks(cursor: Cursor): number | undefined {
  for (; cursor.pos < cursor.end; cursor.pos += 1) {
    const code = cursor.bytes[cursor.pos]
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
  }
  return undefined
}

/** Steps over an opening quote. */
export function openText(cursor: Cursor): void {
  cursor.textStart = cursor.base + cursor.pos
  cursor.isInText = true
  cursor.pos += 1
}

/** Moves past the closing quote of the current text; returns false when it is not in the window yet. */
export function closeText(cursor: Cursor): boolean {
  const { bytes, end } = cursor
  let pos = cursor.pos
  while (pos < end && cursor.isInText) {
    const code = bytes[pos]
    if (code === 0x5c && pos + 1 === end) break // the escaped byte is in the next piece
    if (code === byte.quote) cursor.isInText = false
    pos += code === 0x5c ? 2 : 1
  }
  cursor.pos = pos
  if (cursor.base + pos - cursor.textStart > cursor.limits.maxTextBytes) {
    throw new ScanError(`text longer than ${cursor.limits.maxTextBytes} bytes`, cursor.textStart)
  }
  return !cursor.isInText
}

/** Returns the position of the quote that ends the text that begins at `start`. */
export function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== byte.quote) at += bytes[at] === 0x5c ? 2 : 1
  return at
}

const opens = 1
const closes = 2
const quotes = 3
const separates = 4
const classOf = new Uint8Array(256)
classOf[byte.openBracket] = opens
classOf[byte.openBrace] = opens
classOf[byte.closeBracket] = closes
classOf[byte.closeBrace] = closes
classOf[byte.quote] = quotes
classOf[byte.comma] = separates

/**
 * Walks an array or object of the root. Returns `closed` with `pos` after its closing bracket, `cut` with `pos` after
 * a comma between two elements once a batch is full, or `more` at the end of the window.
 */
export function walkRootValue(cursor: Cursor): 'closed' | 'cut' | 'more' {
  if (cursor.isInText && !closeText(cursor)) return 'more'
  const cutFrom = cursor.mayCut ? cursor.start + cursor.limits.batchBytes : Infinity
  while (cursor.pos < cursor.end) {
    const kind = skipPlain(cursor)
    if (!step(cursor, kind)) return 'more'
    if (cursor.depth === 1) return 'closed'
    if (kind === separates && cursor.pos >= cutFrom) return 'cut'
  }
  return 'more'
}

/** The hot loop: moves to the next significant byte. Commas are significant only between elements. */
function skipPlain(cursor: Cursor): number {
  const { bytes, end } = cursor
  const ignored = cursor.depth === 2 ? 0 : separates
  let pos = cursor.pos
  let kind = 0
  while (pos < end) {
    if (ignored && (pos & 3) === 0) pos = skipNumbers(cursor, pos)
    kind = classOf[bytes[pos] ?? 0] ?? 0
    if (kind !== 0 && kind !== ignored) break
    pos += 1
  }
  cursor.pos = pos
  return pos < end ? kind : 0
}

/** Skips lists of numbers four bytes at a time: no quote, and no byte from 0x40, where letters and brackets are. */
function skipNumbers({ words, end }: Cursor, pos: number): number {
  const last = (end >> 2) - 1
  let at = pos >> 2
  for (; at < last; at += 1) {
    const word = words[at] ?? 0
    const quotes = word ^ 0x22222222
    if ((word & 0xc0c0c0c0) !== 0 || ((quotes - 0x01010101) & ~quotes & 0x80808080) !== 0) break
  }
  return at << 2
}

/** Steps over a bracket, a comma or a text; returns false when the window ends first. */
function step(cursor: Cursor, kind: number): boolean {
  if (kind === 0) return false
  if (kind === quotes) {
    openText(cursor)
    return closeText(cursor)
  }
  cursor.pos += 1
  if (kind === opens) cursor.depth += 1
  if (kind === closes) cursor.depth -= 1
  if (kind === separates) cursor.commas += 1
  if (cursor.depth > cursor.limits.maxDepth) {
    const at = cursor.base + cursor.pos - 1
    throw new ScanError(`nested deeper than ${cursor.limits.maxDepth} levels`, at)
  }
  return true
}
