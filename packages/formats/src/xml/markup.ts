/** What stands between elements: comments, instructions, unparsed text and the declaration of a type. */
import { faultAt, giveText, needMore, type Scan } from './state.ts'

/** Reads what begins with `<!` or `<?`; false when its end is not there yet. */
export function readMarkup(scan: Scan): boolean {
  const { text, pos } = scan
  const kind = kinds.find(({ begin }) => text.startsWith(begin, pos))
  if (!kind) {
    const isCut = text.length - pos < longestBegin
    if (isCut && !scan.isEnd) return needMore(scan)
    const found = text.slice(pos, pos + longestBegin)
    throw faultAt(scan, pos, `"${found}" is not allowed: nothing may be defined`)
  }
  const end = kind.end(scan)
  if (end < 0) return needMore(scan)
  kind.read?.(scan, end)
  scan.pos = end
  return true
}

interface Kind {
  begin: string
  /** Behind its last character; negative when that is not there yet. */
  end(scan: Scan): number
  read?: (scan: Scan, end: number) => void
}

const upTo =
  (close: string, open: string): Kind['end'] =>
  ({ text, pos }) => {
    const at = text.indexOf(close, pos + open.length)
    return at < 0 ? -1 : at + close.length
  }

const kinds: readonly Kind[] = [
  { begin: '<!--', end: upTo('-->', '<!--') },
  { begin: '<?', end: upTo('?>', '<?'), read: checkEncoding },
  { begin: '<![CDATA[', end: upTo(']]>', '<![CDATA['), read: readUnparsed },
  { begin: '<!DOCTYPE', end: endOfDoctype, read: checkDoctype },
]
const longestBegin = 9

function checkEncoding(scan: Scan, end: number): void {
  const declaration = scan.text.slice(scan.pos, end)
  if (!/^<\?xml\s/.test(declaration)) return
  const encoding = /\bencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? 'utf-8'
  if (/^(utf-?8|us-ascii|ascii)$/i.test(encoding)) return
  throw faultAt(scan, scan.pos, `the encoding is ${encoding.slice(0, 40)}, expected UTF-8`)
}

function readUnparsed(scan: Scan, end: number): void {
  const { text, pos, stack, handler } = scan
  if (stack.length === 0) throw faultAt(scan, pos, 'text outside of the root element')
  if (handler.wantsText) giveText(scan, text.slice(pos + '<![CDATA['.length, end - 3), false)
}

/** A bare one is passed over; one that defines anything is refused (spec/formats.md 4.4). */
function endOfDoctype(scan: Scan): number {
  const { text, pos } = scan
  const ends = /"[^"]*"?|'[^']*'?|[[>]/g
  ends.lastIndex = pos
  for (let found = ends.exec(text); found; found = ends.exec(text)) {
    if (found[0] === '[') throw faultAt(scan, pos, 'a DOCTYPE with definitions is not allowed')
    if (found[0] === '>') return ends.lastIndex
  }
  return -1
}

function checkDoctype(scan: Scan): void {
  if (scan.hasRoot) throw faultAt(scan, scan.pos, 'a DOCTYPE behind the root element began')
}
