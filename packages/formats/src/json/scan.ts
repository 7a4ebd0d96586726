/**
 * A byte scanner for large JSON objects (docs/adr/0006-share-one-scanner-for-large-json.md). It finds the members of
 * the root object and the elements of its arrays, and leaves their content to `JSON.parse`, about 64 KiB at a time.
 * Memory stays constant, documents may exceed the longest string of the engine, and no byte is read twice. Annotation
 * requests and COCO imports share it, so it imports nothing outside its folder.
 */
import { type CountOptions, refuseCrowded } from './crowded.ts'
import type { Cursor } from './cursor.ts'
import {
  appendPiece,
  byte,
  closeText,
  createCursor,
  openText,
  skipBlanks,
  walkRootValue,
} from './cursor.ts'
import { parseLarge } from './large.ts'
import { locateFault } from './locate.ts'
import type { LargePart, RootMember, ScanOptions } from './member.ts'
import { ScanError } from './scan-error.ts'

export {
  type ArrayBatch,
  isBatch,
  type RootMember,
  type RootValue,
  type ScanOptions,
} from './member.ts'
export { MembersError, ScanError } from './scan-error.ts'

/** Synchronous scanner: `feed` every piece in order and drain the result, then call `end`. */
export interface Scanner {
  feed(chunk: Uint8Array): Generator<RootMember>
  end(): void
}

/**
 * Scans a streamed document.
 * @throws {ScanError} when it is not a JSON object, repeats a key of the root, or exceeds a limit
 */
export async function* scanArrays(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ScanOptions = {},
): AsyncGenerator<RootMember> {
  const { pause = async () => undefined, maxMembers = Number.POSITIVE_INFINITY } = options
  const scan = newScan(options, largeBytes)
  for await (const chunk of chunks) {
    for (const piece of piecesOf(chunk)) {
      await pause()
      for (const found of take(scan, piece)) {
        yield isLarge(found) ? await readLarge(scan, found, { pause, maxMembers }) : found
      }
      await refuseEarly(scan, { pause, maxMembers })
    }
  }
  finish(scan)
}

/**
 * Parses a large member.
 * @throws {ScanError}
 */
async function readLarge(
  scan: Scan,
  { key, first, offset, bytes }: LargeMember,
  options: Parameters<typeof parseLarge>[1],
): Promise<RootMember> {
  const part = { bytes, offset, path: [key] }
  const value = await parseLarge(part, options, first).catch((thrown) => {
    const isPlaced = !(thrown instanceof ScanError) || thrown.where !== ''
    throw isPlaced ? thrown : new ScanError(thrown.reason, thrown.offset, key)
  })
  if (first === undefined) return { key, value, offset }
  if (!Array.isArray(value)) throw fault(scan, scan.cursor.start, 'expected an array')
  return { key, items: value, first, offset }
}

/** Creates a scanner for callers that already have the pieces in memory. Its errors are those of `scanArrays`. */
export function createScanner(options: ScanOptions = {}): Scanner {
  const scan = newScan(options)
  return {
    *feed(chunk) {
      for (const piece of piecesOf(chunk)) {
        for (const found of take(scan, piece)) if (!isLarge(found)) yield found
      }
    },
    end: () => finish(scan),
  }
}

/** Counts the members of an incomplete element, each time its size has doubled. */
async function refuseEarly(scan: Scan, options: CountOptions): Promise<void> {
  const { cursor, key, first, isArray } = scan
  const bytes = cursor.bytes.subarray(cursor.start, cursor.end)
  const isGrowing = scan.phase === inNested && scan.isSelected && bytes.length >= leastCounted
  if (!isGrowing) scan.countFrom = leastCounted
  if (!isGrowing || bytes.length < scan.countFrom) return
  scan.countFrom = 2 * bytes.length
  const part = { bytes, offset: cursor.base + cursor.start, path: [key] }
  await refuseCrowded(part, options, isArray ? first : undefined)
}

const pieceBytes = 65_536
/** Well above the size of a batch of small elements. */
const largeBytes = 262_144
/** Size in bytes from which the members of an incomplete element are counted. */
const leastCounted = 524_288

function openNextBatch({ cursor }: Scan): void {
  cursor.bytes[cursor.start] = byte.openBracket
}

function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; from += pieceBytes) {
    yield chunk.subarray(from, from + pieceBytes)
  }
}

/** A member, or a batch with a large element, that is not parsed yet. The bytes are valid until the scan continues. */
interface LargeMember extends Pick<LargePart, 'bytes' | 'offset'> {
  key: string
  /** Like `ArrayBatch.first`; absent when the member is not an array. */
  first?: number
}

const isLarge = (found: RootMember | LargeMember): found is LargeMember => 'bytes' in found

/** Result of a phase: `more` waits for bytes; undefined means that the next phase continues at `pos`. */
type Step = RootMember | LargeMember | 'more' | undefined

interface Scan {
  cursor: Cursor
  /** Processes the bytes from `pos`, advances it and selects the next phase. */
  phase: (scan: Scan) => Step
  selects: (key: string) => boolean
  keys: Set<string>
  key: string
  isSelected: boolean
  isArray: boolean
  /** Number of elements of the current array that were already yielded. */
  first: number
  /** Size in bytes from which members are yielded unparsed. */
  largeBytes: number
  /** Size in bytes of the current element at which its members are counted again. */
  countFrom: number
}

function newScan(options: ScanOptions, largeBytes = Number.POSITIVE_INFINITY): Scan {
  const { batchBytes = 65_536, maxDepth = 64 } = options
  const { maxTextBytes = 1_048_576, maxItemBytes = 67_108_864 } = options
  return {
    cursor: createCursor({ batchBytes, maxDepth, maxTextBytes, maxItemBytes }),
    phase: beforeMark,
    selects: options.selects ?? (() => true),
    keys: new Set(),
    key: '',
    isSelected: true,
    isArray: false,
    first: 0,
    largeBytes,
    countFrom: leastCounted,
  }
}

function* take(scan: Scan, piece: Uint8Array): Generator<RootMember | LargeMember> {
  try {
    appendPiece(scan.cursor, piece)
    for (;;) {
      const step = scan.phase(scan)
      if (step === 'more') return
      if (step) yield step
      // The comma after a large batch was overwritten by its closing bracket until now.
      if (step && isLarge(step) && scan.phase === inNested) openNextBatch(scan)
    }
  } catch (error) {
    if (error instanceof ScanError && !error.where && scan.key) {
      throw new ScanError(error.reason, error.offset, scan.key)
    }
    throw error
  }
}

function finish(scan: Scan): void {
  if (scan.phase === afterRoot) return
  const { start, end, base, commas } = scan.cursor
  if (scan.isSelected && (scan.phase === inNested || scan.phase === inLiteral)) {
    throw faultIn(scan, start, end)
  }
  const isPassedOver = scan.isArray && scan.phase === inNested
  const where = isPassedOver ? `${scan.key}[${commas}]` : scan.key
  throw new ScanError('the text ends too early', base + end, where)
}

// ---- phases, in the order of a document

function beforeMark(scan: Scan): Step {
  const { bytes, end } = scan.cursor
  const mark = [0xef, 0xbb, 0xbf]
  const seen = mark.filter((code, index) => index < end && bytes[index] === code).length
  if (seen > 0 && seen === end && end < 3) return 'more'
  return goOn(scan, seen === 3 ? 3 : 0, beforeRoot)
}

function beforeRoot(scan: Scan): Step {
  const code = skipBlanks(scan.cursor)
  if (code === undefined) return 'more'
  if (code !== byte.openBrace) throw fault(scan, scan.cursor.pos, 'expected an object')
  return goOn(scan, scan.cursor.pos + 1, beforeFirstKey)
}

function beforeFirstKey(scan: Scan): Step {
  const isEmpty = skipBlanks(scan.cursor) === byte.closeBrace
  return isEmpty ? goOn(scan, scan.cursor.pos + 1, afterRoot) : beforeKey(scan)
}

function beforeKey(scan: Scan): Step {
  const { cursor } = scan
  const code = skipBlanks(cursor)
  if (code === undefined) return 'more'
  if (code !== byte.quote) throw fault(scan, cursor.pos, 'expected a key in double quotes')
  cursor.start = cursor.pos
  openText(cursor)
  scan.phase = inKey
  return undefined
}

function inKey(scan: Scan): Step {
  const { cursor } = scan
  if (!closeText(cursor)) return 'more'
  const key = String(parse(scan, cursor.start, cursor.pos))
  if (scan.keys.has(key)) throw fault(scan, cursor.start, `the key "${key}" is given twice`)
  scan.keys.add(key)
  scan.key = key
  scan.isSelected = scan.selects(key)
  return goOn(scan, cursor.pos, beforeColon)
}

function beforeColon(scan: Scan): Step {
  const code = skipBlanks(scan.cursor)
  if (code === undefined) return 'more'
  if (code !== byte.colon) throw fault(scan, scan.cursor.pos, 'expected ":" after the key')
  return goOn(scan, scan.cursor.pos + 1, beforeValue)
}

function beforeValue(scan: Scan): Step {
  const { cursor } = scan
  const code = skipBlanks(cursor)
  if (code === undefined) return 'more'
  cursor.start = cursor.pos
  scan.first = 0
  scan.isArray = code === byte.openBracket
  cursor.commas = 0
  cursor.mayCut = scan.isArray && scan.isSelected
  if (code === byte.quote) openText(cursor)
  scan.phase = code === byte.quote ? inText : inLiteral
  if (code === byte.openBrace || code === byte.openBracket) {
    cursor.pos += 1
    cursor.depth = 2
    scan.phase = inNested
  }
  return undefined
}

function inText(scan: Scan): Step {
  return closeText(scan.cursor) ? takeValue(scan) : 'more'
}

const literalEnds = new Set([0x20, 0x09, 0x0a, 0x0d, byte.comma, byte.closeBrace])

function inLiteral(scan: Scan): Step {
  const { cursor } = scan
  while (cursor.pos < cursor.end && !literalEnds.has(cursor.bytes[cursor.pos] ?? 0)) cursor.pos += 1
  if (cursor.pos === cursor.end) return 'more'
  if (cursor.pos === cursor.start) throw fault(scan, cursor.pos, 'expected a value')
  return takeValue(scan)
}

function inNested(scan: Scan): Step {
  const { cursor } = scan
  const state = walkRootValue(cursor)
  if (state === 'closed') return scan.isArray ? takeBatch(scan, afterValue) : takeValue(scan)
  if (state === 'cut') return takeBatch(scan, inNested)
  if (!scan.isSelected) cursor.start = cursor.pos
  return 'more'
}

function afterValue(scan: Scan): Step {
  const code = skipBlanks(scan.cursor)
  if (code === undefined) return 'more'
  scan.key = ''
  if (code === byte.comma) return goOn(scan, scan.cursor.pos + 1, beforeKey)
  if (code !== byte.closeBrace) throw fault(scan, scan.cursor.pos, 'expected "," or "}"')
  return goOn(scan, scan.cursor.pos + 1, afterRoot)
}

function afterRoot(scan: Scan): Step {
  const { cursor } = scan
  if (skipBlanks(cursor) !== undefined) throw fault(scan, cursor.pos, 'text after the object')
  cursor.start = cursor.pos
  return 'more'
}

// ---- shared by the phases

function goOn(scan: Scan, pos: number, phase: Scan['phase']): undefined {
  scan.cursor.pos = pos
  scan.cursor.start = pos
  scan.phase = phase
  return undefined
}

function takeValue(scan: Scan): Step {
  const { key } = scan
  const { start, pos, base } = scan.cursor
  const offset = base + start
  const isLarge = pos - start > scan.largeBytes
  const value = scan.isSelected && !isLarge ? parse(scan, start, pos) : undefined
  goOn(scan, pos, afterValue)
  if (!scan.isSelected) return undefined
  return isLarge
    ? { key, bytes: scan.cursor.bytes.subarray(start, pos), offset }
    : { key, value, offset }
}

/** Returns the elements up to the border before `pos`, a comma or the end of the array. */
function takeBatch(scan: Scan, next: Scan['phase']): Step {
  const { cursor, key, first } = scan
  if (!scan.isSelected) return goOn(scan, cursor.pos, next)
  const offset = cursor.base + cursor.start
  const border = cursor.pos - 1
  // Each batch is parsed as a separate array: the comma before it is overwritten by "[", the one after it by "]".
  const isLast = next === afterValue
  if (isLast && first > 0 && isBlankBetween(cursor, cursor.start + 1, border)) {
    throw fault(scan, border, 'expected a value')
  }
  if (!isLast) cursor.bytes[border] = byte.closeBracket
  if (cursor.pos - cursor.start > scan.largeBytes) {
    const bytes = cursor.bytes.subarray(cursor.start, cursor.pos)
    goOn(scan, cursor.pos, next)
    if (!isLast) cursor.start = border
    scan.first = cursor.commas
    return { key, bytes, offset, first }
  }
  const items = parse(scan, cursor.start, cursor.pos)
  if (!isLast) cursor.bytes[border] = byte.openBracket
  goOn(scan, cursor.pos, next)
  if (!isLast) cursor.start = border
  if (!Array.isArray(items)) throw fault(scan, cursor.start, 'expected an array')
  scan.first = first + items.length
  return { key, items, first, offset }
}

function isBlankBetween(cursor: Cursor, from: number, to: number): boolean {
  return cursor.bytes.subarray(from, to).every((code) => code <= 0x20)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parse(scan: Scan, from: number, to: number): unknown {
  const bytes = scan.cursor.bytes.subarray(from, to)
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw fault(scan, from, 'not UTF-8 in the part that starts')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw faultIn(scan, from, to)
  }
}

/** Returns the exact place of a fault between two positions: the element and the byte. */
function faultIn(scan: Scan, from: number, to: number): ScanError {
  const { bytes, base } = scan.cursor
  const found = locateFault(bytes.subarray(from, to))
  const where = scan.isArray ? `${scan.key}[${scan.first + (found?.index ?? 0)}]` : scan.key
  return new ScanError(found?.reason ?? 'not JSON', base + from + (found?.at ?? 0), where)
}

function fault(scan: Scan, pos: number, reason: string): ScanError {
  return new ScanError(reason, scan.cursor.base + pos, scan.key)
}
