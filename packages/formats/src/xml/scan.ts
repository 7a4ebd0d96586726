/**
 * A reader of XML documents of any size (reliability.md 9, spec/formats.md 4.4): bytes go in, cut anywhere, and elements come
 * out as they are passed. It holds one tag at most. It never defines, fetches or expands anything, and refuses what is not
 * well-formed with the line.
 */
import { readMarkup } from './markup.ts'
import {
  faultAt,
  giveText,
  lineAt,
  linesIn,
  needMore,
  newScan,
  nextSpecial,
  refuser,
  type Scan,
  type XmlHandler,
} from './state.ts'
import { readClosing, readOpening } from './tags.ts'
import { illegal, longestReference, resolve } from './text.ts'
import { type Utf8Reader, utf8Reader } from './utf8.ts'
import { XmlError } from './xml-error.ts'

export type { XmlAttributes } from './attributes.ts'
export type { XmlHandler } from './state.ts'
export { XmlError } from './xml-error.ts'

export interface XmlScanner {
  /** @throws {XmlError} and what the handler throws */
  feed(bytes: Uint8Array): void
  /** @throws {XmlError} when the document is not complete */
  end(): void
  /** Where what the handler is told stands, from 1. */
  line(): number
}

/** Text is looked at in pieces of so many bytes. */
const pieceBytes = 65_536

export function createXmlScanner(handler: XmlHandler): XmlScanner {
  const scan = newScan(handler)
  const utf8 = utf8Reader()
  return {
    feed(bytes) {
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        take(scan, decode(scan, utf8, bytes.subarray(from, from + pieceBytes)))
      }
    },
    end() {
      if (utf8.isCut()) throw faultAt(scan, scan.text.length, 'the file ends within a character')
      finish(scan)
    },
    line: () => lineAt(scan, scan.at),
  }
}

function decode(scan: Scan, utf8: Utf8Reader, bytes: Uint8Array): string {
  try {
    return utf8.take(bytes)
  } catch {
    const read = new TextDecoder().decode(bytes)
    const lines = linesIn(read, Math.max(0, read.indexOf('\ufffd')))
    throw new XmlError('not UTF-8', lineAt(scan, scan.text.length) + lines)
  }
}

function take(scan: Scan, piece: string): void {
  const isFirst = scan.text === '' && !scan.hasRoot && scan.pos === 0
  const text = isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece
  const bad = illegal.exec(text)
  const before = scan.text.length - scan.pos
  scan.line += linesIn(scan.text, scan.pos)
  scan.text = scan.text.slice(scan.pos) + text
  scan.pos = 0
  scan.at = 0
  scan.special = -1
  if (bad) throw faultAt(scan, before + bad.index, 'a control character')
  if (scan.text.length < scan.wanted) return
  scan.wanted = 0
  while (step(scan));
}

function finish(scan: Scan): void {
  scan.isEnd = true
  while (step(scan));
  const inside = scan.stack.at(-1)
  if (scan.pos < scan.text.length) throw faultAt(scan, scan.pos, 'the file ends within what begins')
  if (inside !== undefined) throw faultAt(scan, scan.pos, `the file ends before </${inside}>`)
  if (!scan.hasRoot) throw faultAt(scan, scan.pos, 'expected an element, the file is empty')
}

/** Reads what stands at `pos`; false when more text is needed for that. */
function step(scan: Scan): boolean {
  const { text, pos } = scan
  scan.at = pos
  if (pos >= text.length) return false
  const next = text.indexOf('<', pos)
  if (next !== pos) return readText(scan, next)
  const code = text.charCodeAt(pos + 1)
  if (code === slash) return readClosing(scan)
  if (code === bang || code === question) return readMarkup(scan)
  return code > 0 ? readOpening(scan) : needMore(scan)
}

function readText(scan: Scan, next: number): boolean {
  const { text, pos, handler } = scan
  const end = next < 0 ? safeEnd(scan) : next
  if (scan.stack.length === 0) {
    const found = text.slice(pos, end).search(/\S/)
    if (found >= 0) throw faultAt(scan, pos + found, 'text outside of the root element')
  } else if (handler.wantsText) {
    giveText(scan, text.slice(pos, end), true)
  } else if (nextSpecial(scan) < end) {
    resolve(text.slice(pos, end), refuser(scan))
  }
  scan.pos = end
  return next >= 0
}

/** As much of the rest of the text as can be read without what follows. */
function safeEnd({ text, pos, isEnd }: Scan): number {
  if (isEnd) return text.length
  const reference = text.lastIndexOf('&')
  const isCut = reference >= pos && text.length - reference < longestReference
  if (isCut && !text.includes(';', reference)) return reference
  return text.endsWith('\r') ? text.length - 1 : text.length
}

const slash = 0x2f
const bang = 0x21
const question = 0x3f
