/** Reads and writes `label_map.pbtxt`: the names of labels by id, in the text format of Protocol Buffers. */
import { type ErrorLocation, FormatError } from '../../report/errors.ts'

/** Formats a label map; ids are counted from 1. */
export const writeLabelMap = (names: readonly string[]): string =>
  names.map((name, index) => `item {\n\tid: ${index + 1}\n\tname: ${quoted(name)}\n}\n\n`).join('')

/**
 * Parses a label map to names by id. Fields may be in any order; all except `id`, `name` and `display_name` are
 * ignored.
 * @throws {FormatError} that names the line
 */
export function readLabelMap(bytes: Uint8Array, file: string): Map<number, string> {
  const tokens = tokenReader(textIn(bytes, file), file)
  const names = new Map<number, string>()
  for (let name = tokens.next(); name !== undefined; name = tokens.next()) {
    if (name === ';' || name === ',') continue
    const location = tokens.location()
    if (name !== 'item') throw new FormatError(`expected item, found ${name}`, location)
    const item = readItem(tokens)
    const id = Number(item.get('id'))
    if (!Number.isSafeInteger(id)) throw new FormatError('the item has no id', location)
    if (names.has(id)) throw new FormatError(`the id ${id} is given twice`, location)
    names.set(id, nameOf(item))
  }
  return names
}

/** Returns the display name if the name is an id of a knowledge base, as in the map of COCO. */
function nameOf(item: ReadonlyMap<string, string>): string {
  const [name, shown] = [item.get('name'), item.get('display_name')]
  return (name === undefined || /^\/[gm]\//.test(name) ? shown : name) ?? name ?? ''
}

const quoted = (name: string): string =>
  `'${name.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`

function textIn(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FormatError('the text is not UTF-8', { file })
  }
}

interface Tokens {
  /** Returns a name, a number, a quoted text, or a sign; undefined at the end. */
  next(): string | undefined
  /** Place of the last token. */
  location(): ErrorLocation
}

const token = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w.+/-]+|[{}<>[\]:;,]/sy

/** Returns the position after blanks and comments; a comment ends with its line. */
function afterBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    if (text[at] === '#') at = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at)
    else if (/\s/.test(text.charAt(at))) at += 1
    else break
  }
  return at
}

function tokenReader(text: string, file: string): Tokens {
  let at = 0
  let [counted, line] = [0, 1]
  const location = (): ErrorLocation => ({ file, line })
  const skip = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  return {
    next() {
      at = afterBlanks(text, at)
      for (; counted < at; counted += 1) if (text[counted] === '\n') line += 1
      if (at === text.length) return undefined
      const found = skip(token)
      if (found === undefined) throw new FormatError(`unexpected ${text[at]}`, location())
      return found
    },
    location,
  }
}

/** Returns the fields of an item with a plain value; for equal names the last. */
function readItem(tokens: Tokens): Map<string, string> {
  const fields = new Map<string, string>()
  const closing = openedBy(skipColon(tokens), tokens)
  for (let name = need(tokens); name !== closing; name = need(tokens)) {
    if (name === ';' || name === ',') continue
    if (!/^\w/.test(name))
      throw new FormatError(`expected a field, found ${name}`, tokens.location())
    const value = skipColon(tokens)
    if (value in pairs) passOver(value, tokens)
    else fields.set(name, unquoted(value, tokens.location()))
  }
  return fields
}

const pairs: Readonly<Record<string, string>> = { '{': '}', '<': '>', '[': ']' }

function openedBy(sign: string, tokens: Tokens): string {
  const closing = sign === '[' ? undefined : pairs[sign]
  if (closing) return closing
  throw new FormatError(`expected {, found ${sign}`, tokens.location())
}

function skipColon(tokens: Tokens): string {
  const found = need(tokens)
  return found === ':' ? need(tokens) : found
}

function need(tokens: Tokens): string {
  const found = tokens.next()
  if (found === undefined) throw new FormatError('the text is cut off', tokens.location())
  return found
}

/** Skips to the end of a message or list. */
function passOver(opening: string, tokens: Tokens): void {
  const open = [pairs[opening]]
  while (open.length > 0) {
    const found = need(tokens)
    if (found in pairs) open.push(pairs[found])
    else if (found === open.at(-1)) open.pop()
  }
}

const plain: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Removes quotes and resolves escapes; other values stay unchanged. Escapes of bytes are decoded as UTF-8. */
function unquoted(value: string, location: ErrorLocation): string {
  if (!/^["']/.test(value)) return value
  const bytes = value
    .slice(1, -1)
    .split(/(\\(?:[0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|.))/s)
    .map((part) => (part.startsWith('\\') ? escaped(part.slice(1)) : Buffer.from(part)))
  return textIn(Buffer.concat(bytes), location.file ?? '')
}

function escaped(code: string): Uint8Array {
  if (/^[0-7]/.test(code)) return Uint8Array.of(Number.parseInt(code, 8))
  if (/^[xX]./.test(code)) return Uint8Array.of(Number.parseInt(code.slice(1), 16))
  return Buffer.from(plain[code] ?? code)
}
