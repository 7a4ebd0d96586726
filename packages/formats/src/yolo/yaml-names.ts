/** The member `names` of a data.yaml, as training tools write it: a list or a map of numbers, in blocks or in brackets. */
import { FormatError } from '../errors.ts'

/** @throws {FormatError} when there is none, or an entry is no name */
export function yamlNames(lines: readonly string[], file: string): Map<number, string> {
  const start = lines.findIndex((line) => /^names\s*:/.test(line))
  if (start < 0) throw new FormatError('names is missing', { file })
  const place = { file, line: start + 1 }
  const first = (lines[start] ?? '').replace(/^names\s*:/, '').trim()
  const entries = /^[[{]/.test(first)
    ? bracketed([first, ...lines.slice(start + 1)].join(' '))
    : block(lines.slice(start + 1))
  const names = new Map<number, string>()
  for (const [index, entry] of entries.entries()) {
    const [, key, scalar = ''] = /^(?:["']?(\d+)["']?\s*:(?:\s|$))?\s*(.*)$/.exec(entry) ?? []
    const name = unquoted(scalar)
    if (name === '') throw new FormatError(`names: entry ${index} is no name`, place)
    names.set(key === undefined ? index : Number(key), name)
  }
  return names
}

/** `[a, 'b']` or `{0: a, 1: b}`, over as many lines as it takes. */
function bracketed(text: string): string[] {
  const end = text.startsWith('[') ? ']' : '}'
  const entries: string[] = []
  const entry = /\s*((?:\d+\s*:\s+)?(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\]}]*?))\s*([,\]}])/gy
  entry.lastIndex = 1
  for (let found = entry.exec(text); found; found = entry.exec(text)) {
    if (found[1]) entries.push(found[1])
    if (found[2] === end) break
  }
  return entries
}

/** `- a` or `0: a`, a line each. */
function block(lines: readonly string[]): string[] {
  const entries: string[] = []
  for (const line of lines) {
    if (line === '' || /^\s*#/.test(line)) continue
    const [, item] = /^\s*-\s+(.*)$/.exec(line) ?? /^\s+(.*)$/.exec(line) ?? []
    if (item === undefined) break
    entries.push(item)
  }
  return entries
}

function unquoted(scalar: string): string {
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(scalar) ?? []
  if (double !== undefined) return double.replace(/\\(.)/g, '$1')
  const [, single] = /^'((?:[^']|'')*)'/.exec(scalar) ?? []
  if (single !== undefined) return single.replaceAll("''", "'")
  return scalar.replace(/\s+#.*$/, '').trim()
}
