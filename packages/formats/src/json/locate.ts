/**
 * Finds where bytes stop being JSON. Used only after `JSON.parse` failed, because its error does not reliably contain
 * a position.
 */

/** The first byte that is invalid in JSON, and what was expected instead. */
export interface Fault {
  /** Index into the input bytes; their length when they end too early. */
  at: number
  /** Number of complete elements of the outermost array before the fault. */
  index: number
  reason: string
}

interface Reader {
  bytes: Uint8Array
  at: number
  depth: number
  index: number
  reason: string
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const escapes = '"\\/bfnrtu'

/** Reads one value. Returns the first fault, or undefined when the bytes are one JSON value. */
export function locateFault(bytes: Uint8Array): Fault | undefined {
  const reader: Reader = { bytes, at: 0, depth: 0, index: 0, reason: '' }
  if (readValue(reader) && isAtEnd(reader)) return undefined
  return { at: reader.at, index: reader.index, reason: reader.reason }
}

function isAtEnd(reader: Reader): boolean {
  skipBlanks(reader)
  return reader.at === reader.bytes.length || fail(reader, 'unexpected text after the value')
}

function readValue(reader: Reader): boolean {
  skipBlanks(reader)
  const char = charAt(reader)
  if (char === '{') return readList(reader, '}', readMember)
  if (char === '[') return readList(reader, ']', readValue)
  if (char === '"') return readText(reader)
  return readLiteral(reader)
}

function readList(reader: Reader, close: string, readOne: (reader: Reader) => boolean): boolean {
  reader.at += 1
  reader.depth += 1
  skipBlanks(reader)
  let isFirst = true
  while (!(isFirst && charAt(reader) === close)) {
    if (!readOne(reader)) return false
    isFirst = false
    skipBlanks(reader)
    const char = charAt(reader)
    if (char === close) break
    if (char !== ',') return fail(reader, `expected "," or "${close}"`)
    reader.at += 1
    if (reader.depth === 1) reader.index += 1
  }
  reader.at += 1
  reader.depth -= 1
  return true
}

function readMember(reader: Reader): boolean {
  skipBlanks(reader)
  if (charAt(reader) !== '"') return fail(reader, 'expected a key in double quotes')
  if (!readText(reader)) return false
  skipBlanks(reader)
  if (charAt(reader) !== ':') return fail(reader, 'expected ":" after a key')
  reader.at += 1
  return readValue(reader)
}

function readText(reader: Reader): boolean {
  reader.at += 1
  for (;;) {
    const code = reader.bytes[reader.at]
    if (code === undefined || code < 0x20) return fail(reader, 'text without its closing quote')
    if (code === 0x5c && !isEscape(reader)) return fail(reader, 'unknown escape in a text')
    reader.at += code === 0x5c ? 2 : 1
    if (code === 0x22) return true
  }
}

function isEscape({ bytes, at }: Reader): boolean {
  const letter = String.fromCharCode(bytes[at + 1] ?? 0)
  if (letter !== 'u') return escapes.includes(letter)
  return /^[0-9a-fA-F]{4}$/.test(String.fromCharCode(...bytes.subarray(at + 2, at + 6)))
}

function readLiteral(reader: Reader): boolean {
  const from = reader.at
  while (/[\w+.-]/.test(charAt(reader))) reader.at += 1
  const text = String.fromCharCode(...reader.bytes.subarray(from, Math.min(reader.at, from + 400)))
  if (text === 'true' || text === 'false' || text === 'null' || numberText.test(text)) return true
  reader.at = from
  return fail(reader, text ? `"${text.slice(0, 20)}" is no JSON value` : 'expected a value')
}

function skipBlanks(reader: Reader): void {
  while (isBlank(reader.bytes[reader.at])) reader.at += 1
}

function isBlank(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function charAt({ bytes, at }: Reader): string {
  return at < bytes.length ? String.fromCharCode(bytes[at] ?? 0) : ''
}

function fail(reader: Reader, reason: string): false {
  reader.reason = reader.at < reader.bytes.length ? reason : 'the text ends too early'
  return false
}
