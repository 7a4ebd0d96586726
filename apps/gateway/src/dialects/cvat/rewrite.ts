/**
 * The objects in lists called `shapes` of a JSON document that passes in pieces: shapes of an annotation set, and positions of
 * its tracks. One at a time is held; all other bytes pass as they came, those of what is no JSON included.
 */

export interface Rewrite {
  /** Whether bytes hold anything that `change` looks for. Where they do not, no object in them is asked about. */
  concerns(bytes: Buffer): boolean
  /** Another text for an object, `null` for none, nothing to leave it as it is. */
  change(object: Buffer): string | null | undefined
}

/** A larger object is larger than services take, and passes as it is. */
const mostBytes = 64 * 1024 * 1024

const listName = '"shapes"'
/** Bytes that mean nothing: anywhere, and inside of an object of a list, where only its end is looked for. */
const [plain, plainInside] = [plainBut('"\\,:[]{}'), plainBut('"[]{}')]

function plainBut(others: string): Uint8Array {
  const table = new Uint8Array(256).fill(1)
  for (const one of Buffer.from(others)) table[one] = 0
  return table
}

/** With every letter of it escaped. */
const longestName = 38

const [quote, backslash, comma, colon] = Buffer.from('"\\,:')
const [openList, closeList, openObject, closeObject] = Buffer.from('[]{}')

interface Scan {
  rewrite: Rewrite
  /** Brackets that are open. */
  depth: number
  /** As many are open directly inside of a list of shapes; 0: in none. */
  inList: number
  /** Whether the running list has kept an object, and whether it has only lost some. */
  list: 'empty' | 'kept' | 'lost'
  isInText: boolean
  isEscaped: boolean
  /** The beginning of the text that came last, its quotes included. */
  text: string
  /** A colon followed that text. */
  isNamed: boolean
  /** What may change yet, from the comma before an object on, in pieces that are over. */
  held: Buffer[]
}

/** A piece, how much of it was handed on, and where what is held begins in it; -1: nothing is. */
interface Window {
  piece: Buffer
  /** Whether an object that is all in it may change. */
  isConcerned: boolean
  sent: Buffer[]
  passed: number
  start: number
}

/** Passes the document on, with other texts for some of its shapes. */
export async function* rewriteShapes(
  pieces: AsyncIterable<Uint8Array>,
  rewrite: Rewrite,
): AsyncGenerator<Uint8Array> {
  const scan: Scan = {
    ...{ rewrite, depth: 0, inList: 0, list: 'empty', isInText: false, isEscaped: false },
    ...{ text: '', isNamed: false, held: [] },
  }
  for await (const piece of pieces) {
    const passing = take(scan, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    if (passing.length > 0) yield passing
  }
  yield* scan.held
}

/** What may be sent of all that has come. */
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

/** At the next byte that means something, or at the end of the piece. */
function readPlain({ inList, depth }: Scan, piece: Buffer, from: number): number {
  const table = inList !== 0 && depth > inList ? plainInside : plain
  let at = from
  while (at < piece.length && table[piece[at] ?? 0]) at++
  return at
}

/** Behind the closing quote, or at the end of the piece. */
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

/** What a comma separates is no part of what comes behind it. */
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

/** An object of a list is there as a whole. */
function settle(scan: Scan, window: Window, next: number): void {
  if (window.start < 0) return // larger than anything may be
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

/** What stands in the place of an object and of the comma before it, which the first of a list does not have. */
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

/** Nothing of what is held changes. */
function pass(scan: Scan, window: Window): void {
  window.sent.push(...scan.held.splice(0))
  window.start = -1
}
