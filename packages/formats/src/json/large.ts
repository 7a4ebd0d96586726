/** Parses large parts of a document step by step, so that no step blocks the event loop for long. */
import type { CountOptions } from './crowded.ts'
import { byte, endOfText } from './cursor.ts'
import { locateFault } from './locate.ts'
import type { LargePart } from './member.ts'
import { MembersError, ScanError } from './scan-error.ts'

export interface LargeOptions extends CountOptions {
  /** Maximum size in bytes of a part that `JSON.parse` parses in one step (default 16,384). */
  smallBytes?: number
}

const usualSmallBytes = 16_384
const bytesBetweenPauses = 16_384
/** Length of the longest text that the scanner accepts, including its quotes. */
const longestLiteral = 1_048_578
/** Maximum nesting of large parts: far more than annotations have. */
const deepest = 10

/**
 * Returns the value of a JSON text, as `JSON.parse` would.
 * @param first Index of the first member when the part is a batch of a longer list.
 * @throws {MembersError} for a list or an object with too many members, before the rest of it is parsed
 * @throws {ScanError} for a text that is not JSON
 */
export function parseLarge(part: LargePart, options: LargeOptions, first = 0): Promise<unknown> {
  return parseValue(part, options, { level: 0, first })
}

interface Position {
  level: number
  first: number
}

async function parseValue(
  given: LargePart,
  options: LargeOptions,
  position: Position,
): Promise<unknown> {
  const part = trim(given)
  const { bytes, offset } = part
  const [first, last] = [bytes[0], bytes.at(-1)]
  const { smallBytes = usualSmallBytes } = options
  const isNested = first === byte.openBracket || first === byte.openBrace
  if (bytes.length <= smallBytes || (!isNested && bytes.length <= longestLiteral))
    return parseSmall(part, '', '')
  if (position.level > deepest) throw new ScanError('large parts nested too deep', offset)
  if (first === byte.openBracket && last === byte.closeBracket)
    return parseList(part, options, position)
  if (first === byte.openBrace && last === byte.closeBrace)
    return parseObject(part, options, position)
  throw new ScanError('expected a value', offset)
}

async function parseList(list: LargePart, options: LargeOptions, { level, first }: Position) {
  const items: unknown[] = []
  for await (const group of groupsOf(list, options)) {
    const path = [...list.path, first + items.length]
    if (group.isLarge) {
      items.push(await parseValue({ ...group, path }, options, { level: level + 1, first: 0 }))
      continue
    }
    const parsed = Object.values(Object(parseSmall({ ...group, path }, '[', ']')))
    if (parsed.length === 0) throw new ScanError('expected a value', group.offset)
    for (const item of parsed) items.push(item)
  }
  return items
}

async function parseObject(object: LargePart, options: LargeOptions, { level }: Position) {
  const members = new Map<string, unknown>()
  for await (const group of groupsOf(object, options)) {
    const part = { ...group, path: object.path }
    if (group.isLarge) {
      const { key, value } = splitMember(part)
      members.set(key, await parseValue(value, options, { level: level + 1, first: 0 }))
      continue
    }
    const parsed = Object.entries(Object(parseSmall(part, '{', '}')))
    if (parsed.length === 0) throw new ScanError('expected a key', group.offset)
    for (const [key, value] of parsed) members.set(key, value)
  }
  return Object.fromEntries(members)
}

interface Group {
  bytes: Uint8Array
  offset: number
  /** True for a single member that is too large to be parsed at once. */
  isLarge: boolean
}

/** Yields the members of a list or an object, with small neighbours combined. */
async function* groupsOf(part: LargePart, options: LargeOptions): AsyncGenerator<Group> {
  const { bytes, offset, path } = part
  const { maxMembers, pause, smallBytes = usualSmallBytes } = options
  const cut = { begin: 1, member: 1 }
  let count = 0
  const scan = { at: 0, depth: 0 }
  for (let border: number | undefined; border !== bytes.length - 1; ) {
    border = findBorder(part, scan)
    if (border === undefined) {
      await pause()
      continue
    }
    count += 1
    if (count > maxMembers) throw new MembersError({ offset, path, most: maxMembers })
    // `yield*` would await each member, although most members do not end a group.
    for (const group of groupsUpTo(part, cut, border, smallBytes)) {
      await pause() // a list of small members has a border in every scan
      yield group
    }
  }
  if (cut.begin === bytes.length) return
  const rest = groupAt(part, cut.begin, bytes.length - 1, false)
  const isEmpty = count === 1 && trim({ ...rest, path }).bytes.length === 0
  if (!isEmpty) yield rest
}

/** Start of the current group, and index of the member that ends next. */
interface Cut {
  begin: number
  member: number
}

function groupsUpTo(part: LargePart, cut: Cut, border: number, smallBytes: number): Group[] {
  const { begin, member } = cut
  cut.member = border + 1
  if (border - begin <= smallBytes) return []
  cut.begin = border + 1
  if (border - member <= smallBytes) return [groupAt(part, begin, border, false)]
  const large = groupAt(part, member, border, true)
  return member > begin ? [groupAt(part, begin, member - 1, false), large] : [large]
}

const groupAt = (
  { bytes, offset }: LargePart,
  from: number,
  to: number,
  isLarge: boolean,
): Group => ({ bytes: bytes.subarray(from, to), offset: offset + from, isLarge })

const depthChange = new Int8Array(256)
for (const code of [byte.openBracket, byte.openBrace]) depthChange[code] = 1
for (const code of [byte.closeBracket, byte.closeBrace]) depthChange[code] = -1

interface Scan {
  /** Position of the next byte. */
  at: number
  depth: number
}

/**
 * Returns the end of the next member: a comma or the closing bracket. Undefined after `bytesBetweenPauses`, for a
 * pause.
 */
function findBorder({ bytes, offset }: LargePart, scan: Scan): number | undefined {
  const last = bytes.length - 1
  const stop = Math.min(last, scan.at + bytesBetweenPauses)
  let { at, depth } = scan
  let border: number | undefined
  for (; at < stop && border === undefined; at += 1) {
    const code = bytes[at] ?? 0
    if (code === byte.quote) at = endOfText(bytes, at)
    depth += depthChange[code] ?? 0
    if (depth === 0) throw new ScanError('unexpected text after the value', offset + at)
    if (depth === 1 && code === byte.comma) border = at
  }
  scan.at = at
  scan.depth = depth
  return border ?? (at >= last ? last : undefined)
}

function splitMember(part: LargePart): { key: string; value: LargePart } {
  const { bytes, offset, path } = trim(part)
  if (bytes[0] !== byte.quote) throw new ScanError('expected a key in double quotes', offset)
  const end = endOfText(bytes, 0) + 1
  const key = String(parseSmall({ bytes: bytes.subarray(0, end), offset, path }, '', ''))
  const rest = trim({ bytes: bytes.subarray(end), offset: offset + end, path })
  if (rest.bytes[0] !== byte.colon) throw new ScanError('expected ":" after a key', rest.offset)
  const value = { bytes: rest.bytes.subarray(1), offset: rest.offset + 1, path: [...path, key] }
  return { key, value }
}

const isBlank = (code: number | undefined) =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

function trim({ bytes, offset, path }: LargePart): LargePart {
  let from = 0
  let to = bytes.length
  while (from < to && isBlank(bytes[from])) from += 1
  while (from < to && isBlank(bytes[to - 1])) to -= 1
  return { bytes: bytes.subarray(from, to), offset: offset + from, path }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses bytes between two brackets, or on their own. */
function parseSmall({ bytes, offset }: LargePart, open: string, close: string): unknown {
  let text: string
  try {
    text = `${open}${decoder.decode(bytes)}${close}`
  } catch {
    throw new ScanError('not UTF-8 in the part that starts', offset)
  }
  try {
    return JSON.parse(text)
  } catch {
    const fault = locateFault(Buffer.from(text))
    const at = Math.max(0, (fault?.at ?? 0) - open.length)
    throw new ScanError(fault?.reason ?? 'not JSON', offset + at)
  }
}
