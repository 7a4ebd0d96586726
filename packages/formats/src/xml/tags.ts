/** Tags: elements that open, with their attributes, and close. */

import { faultAt, needMore, nextSpecial, type Scan, xmlLimits } from './state.ts'
import { resolveValue } from './text.ts'

export function readOpening(scan: Scan): boolean {
  const { text, pos, handler, attributes, stack } = scan
  const nameEnd = endOfName(text, pos + 1)
  if (nameEnd === pos + 1) throw faultAt(scan, pos, 'expected the name of an element behind "<"')
  const end = readAttributes(scan, nameEnd)
  if (end < 0) return needMore(scan)
  const name = text.slice(pos + 1, nameEnd)
  const isClosed = text.charCodeAt(end) === slash
  if (stack.length === 0 && scan.hasRoot) throw faultAt(scan, pos, `a second root, <${name}>`)
  if (stack.length === xmlLimits.depth) {
    throw faultAt(scan, pos, `nested deeper than ${xmlLimits.depth} levels`)
  }
  scan.hasRoot = true
  scan.length = 0
  scan.pos = isClosed ? end + 2 : end + 1
  handler.open(name, attributes)
  if (isClosed) handler.close(name)
  else stack.push(name)
  return true
}

/** Reads up to `>` or `/>` and answers where that stands; -1 when it is not there yet. */
function readAttributes(scan: Scan, from: number): number {
  const { text, pos, attributes } = scan
  attributes.clear()
  let at = from
  for (;;) {
    const next = skipBlanks(text, at)
    const code = text.charCodeAt(next)
    if (code === greater || (code === slash && text.charCodeAt(next + 1) === greater)) {
      checkValues(scan, next)
      return next
    }
    if (next >= text.length - 1) return -1
    if (code === slash) throw faultAt(scan, pos, 'expected ">" behind "/"')
    if (next === at) throw faultAt(scan, pos, 'expected a blank before an attribute')
    at = readAttribute(scan, next)
    if (at < 0) return -1
  }
}

/** Reads one attribute and answers where it ends; -1 when that is not there yet. */
function readAttribute(scan: Scan, from: number): number {
  const { text, pos, attributes } = scan
  const nameEnd = endOfName(text, from)
  const equals = skipBlanks(text, nameEnd)
  const open = skipBlanks(text, equals + 1)
  if (open >= text.length) return -1
  if (nameEnd === from) throw faultAt(scan, pos, 'expected the name of an attribute')
  const name = text.slice(from, nameEnd)
  if (text[equals] !== '=') throw faultAt(scan, pos, `expected "=" behind ${name}`)
  const quote = text.charAt(open)
  if (quote !== '"' && quote !== "'") throw faultAt(scan, pos, `expected ${name} in quotes`)
  const close = text.indexOf(quote, open + 1)
  if (close < 0) return -1
  if (!attributes.add(name, text.slice(open + 1, close))) {
    throw faultAt(scan, pos, `the attribute ${name} is given twice`)
  }
  if (attributes.count() > xmlLimits.attributes) {
    throw faultAt(scan, pos, `more than ${xmlLimits.attributes} attributes`)
  }
  return close + 1
}

/** Most values are plain: only where a tag holds anything to be replaced they are looked at. */
function checkValues(scan: Scan, end: number): void {
  const { text, pos, attributes } = scan
  const isBefore = (at: number): boolean => at >= 0 && at < end
  if (isBefore(text.indexOf('<', pos + 1))) throw faultAt(scan, pos, '"<" within a tag')
  if (nextSpecial(scan) < end || isBefore(text.indexOf('\n', pos))) {
    attributes.change((value) => resolveValue(value, (reason) => faultAt(scan, pos, reason)))
  }
}

export function readClosing(scan: Scan): boolean {
  const { text, pos, stack, handler } = scan
  const name = stack.at(-1) ?? ''
  let end = pos + 2 + name.length
  if (!text.startsWith(name, pos + 2) || text.charCodeAt(end) !== greater) {
    end = text.indexOf('>', pos)
    if (end < 0) return needMore(scan)
    const found = text.slice(pos + 2, end).trimEnd()
    if (name === '') throw faultAt(scan, pos, `</${found.slice(0, 40)}> closes nothing`)
    if (found !== name) throw faultAt(scan, pos, `</${found.slice(0, 40)}> in place of </${name}>`)
  }
  scan.pos = end + 1
  scan.length = 0
  stack.pop()
  handler.close(name)
  return true
}

const slash = 0x2f
const greater = 0x3e

const inNames = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-.') {
  inNames[character.charCodeAt(0)] = 1
}

function endOfName(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code >= 128 || inNames[code] === 1; ) {
    at += 1
    code = text.charCodeAt(at)
  }
  const first = text.charCodeAt(from)
  const isStart = first === 0x3a || first === 0x5f || first > 0x40
  return isStart ? at : from
}

function skipBlanks(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code === 0x20 || (code >= 9 && code <= 13); ) {
    at += 1
    code = text.charCodeAt(at)
  }
  return at
}
