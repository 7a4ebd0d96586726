/**
 * Rewrites the objects in lists named `shapes` of a streamed JSON document: shapes of an annotation set, and shapes of
 * its tracks. Only one object is held in memory; all other bytes, including invalid JSON, pass unchanged.
 */

export interface Rewrite {
  /**
   * Returns whether bytes contain anything that `change` looks for. Objects in other pieces are passed on without a
   * call of `change`.
   */
  concerns(bytes: Buffer): boolean
  /** Returns the new text of an object, `null` to drop it, or undefined to keep it. */
  change(object: Buffer): string | null | undefined
}

/** A larger object exceeds the limit of services and passes unchanged. */
const mostBytes = 64 * 1024 * 1024

const listName = '"shapes"'
/** Tables of bytes without a meaning: anywhere, and inside an object of a list, where only its end matters. */
const [plain, plainInside] = [plainBut('"\\,:[]{}'), plainBut('"[]{}')]

function plainBut(others: string): Uint8Array {
  const table = new Uint8Array(256).fill(1)
  for (const one of Buffer.from(others)) table[one] = 0
  return table
}

/** Length of the list name when every character is escaped. */
const longestName = 38

const [quote, backslash, comma, colon] = Buffer.from('"\\,:')
const [openList, closeList, openObject, closeObject] = Buffer.from('[]{}')

interface Scan {
  rewrite: Rewrite
  /** Number of open brackets. */
  depth: number
  /** Depth of the current list of shapes; 0 outside such lists. */
  inList: number
  /** Whether the current list has kept an object, or has only dropped some. */
  list: 'empty' | 'kept' | 'lost'
  isInText: boolean
  isEscaped: boolean
  /** Beginning of the last text, including its quotes. */
  text: string
  /** True when a colon followed that text. */
  isNamed: boolean
  /** Bytes that may still change, from the comma before an object, of previous pieces. */
  held: Buffer[]
}

/** The current piece, how much of it was passed on, and where the held part begins; -1 for none. */
interface Window {
  piece: Buffer
  /** True when objects that are completely in the piece may change. */
  isConcerned: boolean
  sent: Buffer[]
  passed: number
  start: number
}

/** Yields the document with new texts for some of its shapes. */
export async function* rewriteShapes(
  pieces: AsyncIterable<Uint8Array>,
  rewrite: Rewrite,
): AsyncGenerator<Uint8Array> {
  const scan: Scan = {
    rewrite,
    depth: 0,
    inList: 0,
    list: 'empty',
    isInText: false,
    isEscaped: false,
    text: '',
    isNamed: false,
    held: [],
  }
  for await (const piece of pieces) {
    const passing = take(scan, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    if (passing.length > 0) yield passing
  }
  yield* scan.held
}

/** Returns the bytes that can be sent so far. */
function take(scan: Scan, piece: Buffer): Buffer {
  const start = scan.held.length > 0 ? 0 : -1
  const isConcerned = scan.rewrite.concerns(piece)
  const window: Window = { piece, isConcerned, sent: [], passed: 0, start }
  let at = 0
  while (at < piece.length) {
    if (scan.isInText) at = readText(scan, piece, at)
    else at = readPlain(scan, piece, at)
    if (at < piece.length && !scan.isInText) step(scan, window, at++)
  }
  const { sent, passed } = window
  if (window.start < 0) sent.push(piece.subarray(passed))
  else {
    sent.push(piece.subarray(passed, window.start))
    scan.held.push(piece.subarray(window.start))
    if (sizeOf(scan.held) > mostBytes) sent.push(...scan.held.splice(0))
  }
  const [only, ...others] = sent
  return only && others.length === 0 ? only : Buffer.concat(sent)
}

const sizeOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0)

/** Returns the position of the next byte with a meaning, or the end of the piece. */
function readPlain({ inList, depth }: Scan, piece: Buffer, from: number): number {
  const table = inList !== 0 && depth > inList ? plainInside : plain
  let at = from
  while (at < piece.length && table[piece[at] ?? 0]) at++
  return at
}

/** Returns the position after the closing quote, or the end of the piece. */
function readText(scan: Scan, piece: Buffer, from: number): number {
  let at = from
  for (; at < piece.length && scan.isInText; at++) {
    const byte = piece[at]
    if (scan.isEscaped) scan.isEscaped = false
    else if (byte === backslash) scan.isEscaped = true
    else if (byte === quote) scan.isInText = false
  }
  if (scan.inList === 0 && scan.text.length <= longestName)
    scan.text += piece.toString('latin1', from, Math.min(at, from + longestName))
  return at
}

function step(scan: Scan, window: Window, at: number): void {
  switch (window.piece[at]) {
    case quote:
      scan.isInText = true
      scan.text = '"'
      return
    case colon:
      scan.isNamed = scan.text !== ''
      return
    case comma:
      separate(scan, window, at)
      break
    case openList:
    case openObject:
      begin(scan, window, at)
      break
    case closeList:
    case closeObject:
      end(scan, window, at)
      break
    default:
      return
  }
  scan.isNamed = false
  scan.text = ''
}

/** A comma ends the previous element and begins the part that is held with the next one. */
function separate(scan: Scan, window: Window, at: number): void {
  if (scan.inList === 0 || scan.depth !== scan.inList) return
  pass(scan, window)
  window.start = at
}

function begin(scan: Scan, window: Window, at: number): void {
  const isDirectlyInList = scan.inList !== 0 && scan.depth === scan.inList
  scan.depth++
  if (isDirectlyInList && window.start < 0) window.start = at
  else if (scan.inList === 0 && window.piece[at] === openList && isListName(scan)) {
    scan.inList = scan.depth
    scan.list = 'empty'
  }
}

function isListName({ isNamed, text }: Scan): boolean {
  if (!isNamed || text.length > longestName) return false
  return text === listName || (text.includes('\\') && isSameText(text))
}

function isSameText(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === listName
  } catch {
    return false
  }
}

function end(scan: Scan, window: Window, at: number): void {
  scan.depth--
  if (scan.inList === 0) return
  if (scan.depth === scan.inList) settle(scan, window, at + 1)
  else if (scan.depth < scan.inList) {
    scan.inList = 0
    pass(scan, window)
  }
}

/** Handles an object of a list that is complete. */
function settle(scan: Scan, window: Window, next: number): void {
  if (window.start < 0) return // it exceeded the size limit
  const rest = window.piece.subarray(window.start, next)
  const isCut = scan.held.length > 0
  const text = isCut ? Buffer.concat([...scan.held, rest]) : rest
  const object = text.indexOf(openObject ?? 0)
  const mayChange = window.isConcerned || isCut
  const changed = mayChange ? scan.rewrite.change(text.subarray(object)) : undefined
  const isFirst = scan.list === 'lost' && object > 0
  if (changed !== null) scan.list = 'kept'
  else if (scan.list === 'empty') scan.list = 'lost'
  if (changed === undefined && !isFirst) pass(scan, window)
  else replace(scan, window, next, changedText(text, object, { changed, isFirst }))
}

/** Returns the replacement of an object and its leading comma, which the first object of a list does not have. */
function changedText(
  text: Buffer,
  object: number,
  { changed, isFirst }: { changed: string | null | undefined; isFirst: boolean },
): Buffer {
  if (changed === null) return Buffer.alloc(0)
  const own = changed === undefined ? text.subarray(object) : Buffer.from(changed)
  return isFirst ? own : Buffer.concat([text.subarray(0, object), own])
}

function replace(scan: Scan, window: Window, next: number, text: Buffer): void {
  window.sent.push(window.piece.subarray(window.passed, window.start), text)
  window.passed = next
  window.start = -1
  scan.held = []
}

/** Passes on the held bytes unchanged. */
function pass(scan: Scan, window: Window): void {
  window.sent.push(...scan.held.splice(0))
  window.start = -1
}
