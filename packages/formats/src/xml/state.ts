/** The state of a document that is being read, and what all parts of the reader do with it. */
import { type AttributeList, attributeList, type XmlAttributes } from './attributes.ts'
import { type Refuse, resolve } from './text.ts'
import { XmlError } from './xml-error.ts'

export interface XmlHandler {
  /** The attributes are to be read during the call; afterwards they are those of another element. */
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  /** Text of the innermost element that is open, in pieces; only while `wantsText`. */
  text(piece: string): void
  wantsText: boolean
}

/** Guards of reliability.md 9. */
export const xmlLimits = { depth: 128, attributes: 256, characters: 10_485_760 } as const

/** The state of a document that is being read; `text` from `pos` on is what has not been read yet. */
export interface Scan {
  handler: XmlHandler
  text: string
  pos: number
  /** The line of `text[0]`. */
  line: number
  /** Where that begins which is read now. */
  at: number
  /** Less text than this is not looked at: what did not suffice is tried again when there is twice as much. */
  wanted: number
  isEnd: boolean
  stack: string[]
  hasRoot: boolean
  attributes: AttributeList
  /** Where the next character stands that is to be replaced. */
  special: number
  /** Characters of the running text. */
  length: number
}

export function newScan(handler: XmlHandler): Scan {
  const places = { pos: 0, line: 1, at: 0, wanted: 0, special: -1, length: 0 }
  const rest = { text: '', isEnd: false, stack: [], hasRoot: false }
  return { handler, attributes: attributeList(), ...places, ...rest }
}

/** Waits for twice as much as there is, so that what is large is not read anew with every piece. */
export function needMore(scan: Scan): false {
  const held = scan.text.length - scan.pos
  if (held > xmlLimits.characters) {
    throw faultAt(
      scan,
      scan.pos,
      `a tag or comment of more than ${xmlLimits.characters} characters`,
    )
  }
  scan.wanted = Math.min(2 * held, xmlLimits.characters + 1)
  return false
}

export function giveText(scan: Scan, text: string, isMarked: boolean): void {
  scan.length += text.length
  if (scan.length > xmlLimits.characters) {
    throw faultAt(scan, scan.pos, `text of more than ${xmlLimits.characters} characters`)
  }
  scan.handler.text(isMarked ? resolve(text, refuser(scan)) : text)
}

/** The next `&`, tab or carriage return; looked for once. */
export function nextSpecial(scan: Scan): number {
  if (scan.special < scan.pos) {
    specials.lastIndex = scan.pos
    scan.special = specials.exec(scan.text)?.index ?? scan.text.length
  }
  return scan.special
}

const specials = /[&\t\r]/g

export function refuser(scan: Scan): Refuse {
  return (reason, at) => faultAt(scan, scan.pos + at, reason)
}

export function faultAt(scan: Scan, at: number, reason: string): XmlError {
  return new XmlError(reason, lineAt(scan, at))
}

export function lineAt({ text, line }: Scan, at: number): number {
  return line + linesIn(text, at)
}

/** Line ends before `end`. */
export function linesIn(text: string, end: number): number {
  if (end === 0) return 0 // a text that is put together of pieces would be copied to look into it
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
