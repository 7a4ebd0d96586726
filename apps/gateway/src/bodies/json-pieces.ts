import { DomainError } from '@reticle/kit'
import { createPacer, type Pace } from '@reticle/kit/scheduling/pacer'

/** Parses JSON in pieces and yields to other requests in between; the result equals that of `JSON.parse`. */

/** Number of bytes of members that are parsed at once. */
const bytesAtOnce = 16 * 1024

export const createParseError = (reason: string) =>
  new DomainError('invalid', `JSON parse error - ${reason}`, { code: 'parse_error' })

const codeOf = (character: string) => character.charCodeAt(0)
export const quote = codeOf('"')
export const comma = codeOf(',')
const backslash = codeOf('\\')
const colon = codeOf(':')
const [squareOpen, squareClose] = [codeOf('['), codeOf(']')]
const [curlyOpen, curlyClose] = [codeOf('{'), codeOf('}')]
const blanks: ReadonlySet<number | undefined> = new Set([...' \t\n\r'].map(codeOf))

const depthChange = new Int8Array(256)
for (const code of [squareOpen, curlyOpen]) depthChange[code] = 1
for (const code of [squareClose, curlyClose]) depthChange[code] = -1

/** Returns the position of the quote that ends the text that begins at `start`. */
export function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/**
 * Validates a value.
 * @throws Error for a value that is not allowed at its path
 */
type Check = (value: unknown, path: readonly PropertyKey[]) => void

interface Parsing {
  bytes: Uint8Array
  check: Check
  pace: Pace
  path: PropertyKey[]
}

/** Range of the bytes; `end` is exclusive. */
interface Range {
  start: number
  end: number
}

/**
 * Parses a document in pieces.
 * @throws DomainError invalid for bytes that are not UTF-8 or not JSON, and errors of `check`
 */
export function parseInPieces(given: Uint8Array, check: Check): Promise<unknown> {
  const bytes = withoutMark(given)
  const parsing = { bytes, check, pace: createPacer(), path: [] }
  return parseValue(parsing, { start: 0, end: bytes.length })
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}

async function parseValue(parsing: Parsing, given: Range): Promise<unknown> {
  const { bytes, check, path } = parsing
  const range = trimRange(bytes, given)
  const [first, last] = [bytes[range.start], bytes[range.end - 1]]
  if (range.end - range.start > bytesAtOnce) {
    const inside = { start: range.start + 1, end: range.end - 1 }
    if (first === squareOpen && last === squareClose) return parseList(parsing, inside)
    if (first === curlyOpen && last === curlyClose) return parseObject(parsing, inside)
  }
  const value = parseText(decodeText(bytes, given))
  check(value, path)
  return value
}

async function parseList(parsing: Parsing, inside: Range): Promise<unknown[]> {
  const { bytes, check, path, pace } = parsing
  const items: unknown[] = []
  for (const group of groupsOf(bytes, inside)) {
    await pace()
    if (isLarge(group)) {
      path.push(items.length)
      items.push(await parseValue(parsing, group))
      path.pop()
      continue
    }
    const parsed: unknown = parseText(`[${decodeText(bytes, group)}]`)
    for (const item of Array.isArray(parsed) ? parsed : []) {
      path.push(items.length)
      check(item, path)
      path.pop()
      items.push(item)
    }
  }
  return items
}

async function parseObject(parsing: Parsing, inside: Range): Promise<Record<string, unknown>> {
  const { bytes, check, path, pace } = parsing
  const object: Record<string, unknown> = {}
  for (const group of groupsOf(bytes, inside)) {
    await pace()
    if (isLarge(group)) {
      const { key, value } = splitMember(bytes, group)
      path.push(key)
      const parsed = await parseValue(parsing, value)
      path.pop()
      check({ [key]: outlineOf(parsed) }, path)
      object[key] = parsed
      continue
    }
    const parsed: unknown = parseText(`{${decodeText(bytes, group)}}`)
    check(parsed, path)
    Object.assign(object, parsed)
  }
  return object
}

/** Returns a placeholder with which the check validates a key; the value itself was already checked. */
const outlineOf = (value: unknown) =>
  Object.hasOwn(Object(value), 'prototype') ? { prototype: null } : null

const isLarge = ({ start, end }: Range) => end - start > bytesAtOnce

/** Yields the members of a list or object, with many small ones combined and large ones separate. */
function* groupsOf(bytes: Uint8Array, inside: Range): Generator<Range> {
  let group: Range | undefined
  for (const member of membersOf(bytes, inside)) {
    if (group && member.end - group.start <= bytesAtOnce) group.end = member.end
    else {
      if (group) yield group
      group = { ...member }
    }
  }
  if (group) yield group
}

function* membersOf(bytes: Uint8Array, inside: Range): Generator<Range> {
  let depth = 0
  let { start } = inside
  for (let at = inside.start; at < inside.end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = endOfText(bytes, at)
    depth += depthChange[byte] ?? 0
    if (depth < 0) throw createUnexpectedError(at)
    if (byte !== comma || depth > 0) continue
    yield assertFilled(bytes, { start, end: at })
    start = at + 1
  }
  if (depth > 0) throw createUnexpectedError(inside.end)
  const last = { start, end: inside.end }
  if (start > inside.start || !isBlank(bytes, last)) yield assertFilled(bytes, last)
}

function assertFilled(bytes: Uint8Array, range: Range): Range {
  if (isBlank(bytes, range)) throw createUnexpectedError(range.end)
  return range
}

const createUnexpectedError = (at: number) => createParseError(`unexpected character at byte ${at}`)

function isBlank(bytes: Uint8Array, range: Range): boolean {
  const { start, end } = trimRange(bytes, range)
  return start >= end
}

function trimRange(bytes: Uint8Array, { start, end }: Range): Range {
  while (start < end && blanks.has(bytes[start])) start++
  while (end > start && blanks.has(bytes[end - 1])) end--
  return { start, end }
}

function splitMember(bytes: Uint8Array, member: Range): { key: string; value: Range } {
  const { start, end } = trimRange(bytes, member)
  const keyEnd = bytes[start] === quote ? endOfText(bytes, start) + 1 : start
  const { start: at } = trimRange(bytes, { start: keyEnd, end })
  if (bytes[at] !== colon) throw createUnexpectedError(at)
  const key: unknown = parseText(decodeText(bytes, { start, end: keyEnd }))
  return { key: String(key), value: { start: at + 1, end } }
}

/** A byte order mark inside the bytes is kept, because it is invalid JSON. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(bytes: Uint8Array, { start, end }: Range): string {
  try {
    return utf8.decode(bytes.subarray(start, end))
  } catch {
    throw createParseError('the body is not UTF-8')
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw createParseError(thrown instanceof Error ? thrown.message : 'the body is not JSON')
  }
}
