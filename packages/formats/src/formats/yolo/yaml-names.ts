/**
 * Reads the member `names` of a data.yaml as training tools write it: a list or a numbered map, in blocks or
 * brackets.
 */
import { FormatError } from '../../report/errors.ts'

/**
 * Returns names by number.
 * @throws {FormatError} when `names` is missing, or an entry is invalid
 */
export function yamlNames(lines: readonly string[], file: string): Map<number, string> {
  const start = lines.findIndex((line) => /^names\s*:/.test(line))
  if (start < 0) throw new FormatError('names is missing', { file })
  const location = { file, line: start + 1 }
  const first = (lines[start] ?? '').replace(/^names\s*:/, '').trim()
  const entries = /^[[{]/.test(first)
    ? bracketed([first, ...lines.slice(start + 1)].join(' '))
    : block(lines.slice(start + 1))
  const names = new Map<number, string>()
  for (const [index, entry] of entries.entries()) {
    const [, key] = numberKey.exec(entry) ?? []
    const name = unquoted(entry.replace(numberKey, '').trimStart())
    if (name === '') throw new FormatError(`names: entry ${index} is no name`, location)
    names.set(key === undefined ? index : Number(key), name)
  }
  return names
}

/** The number before a name: `0: a`. */
const numberKey = /^["']?(\d{1,9})["']?\s*:(?:\s|$)/

/** Reads `[a, 'b']` or `{0: a, 1: b}`, over any number of lines. */
function bracketed(text: string): string[] {
  const end = text.startsWith('[') ? ']' : '}'
  const entries: string[] = []
  for (let from = 1; from < text.length; ) {
    const to = endOfEntry(text, from)
    if (to === text.length) break // the bracket is never closed
    const entry = text.slice(from, to).trim()
    if (entry !== '') entries.push(entry)
    if (text[to] === end) break
    from = to + 1
  }
  return entries
}

/**
 * Returns the position of the comma or bracket after an entry. Quoted ones do not count; quotes begin an entry or
 * follow its number.
 */
function endOfEntry(text: string, from: number): number {
  let at = afterBlanks(text, from)
  if (isDigit(text[at])) {
    let behind = at
    while (isDigit(text[behind])) behind += 1
    behind = afterBlanks(text, behind)
    if (text[behind] === ':') at = afterBlanks(text, behind + 1)
  }
  const closed = text[at] === '"' || text[at] === "'" ? endOfQuotes(text, at) : at
  const end = text.slice(closed).search(/[,\]}]/)
  return end < 0 ? text.length : closed + end
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (/\s/.test(text.charAt(at))) at += 1
  return at
}

const isDigit = (character = ''): boolean => character >= '0' && character <= '9'

/** Returns the position after the closing quote; without one, the opening quote is an ordinary character. */
function endOfQuotes(text: string, from: number): number {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1
    else if (quote === "'" && text[at] === "'" && text[at + 1] === "'") at += 1
    else if (text[at] === quote) return at + 1
  }
  return from
}

/** Reads lines of `- a` or `0: a`. */
function block(lines: readonly string[]): string[] {
  const entries: string[] = []
  for (const line of lines) {
    if (line === '' || line.trimStart().startsWith('#')) continue
    const text = line.trimStart()
    const isListed = /^-\s/.test(text)
    if (!isListed && text === line) break
    entries.push(isListed ? text.slice(1).trimStart() : text)
  }
  return entries
}

function unquoted(scalar: string): string {
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(scalar) ?? []
  if (double !== undefined) return double.replace(/\\(.)/g, '$1')
  const [, single] = /^'((?:[^']|'')*)'/.exec(scalar) ?? []
  if (single !== undefined) return single.replaceAll("''", "'")
  const comment = scalar.search(/\s#/)
  return (comment < 0 ? scalar : scalar.slice(0, comment)).trim()
}
