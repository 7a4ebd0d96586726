/**
 * Reads XML documents of any size with saxes, under the guards of reliability.md 9: bytes go in, cut anywhere, and elements come
 * out as they are passed. Nothing is defined, fetched or expanded.
 */
import { SaxesParser } from 'saxes'
import { XmlError } from './xml-error.ts'

/** By name; what an element does not give is undefined. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>

export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  /** Text of the innermost element that is open, in pieces. */
  text(piece: string): void
}

export interface XmlScanner {
  /** @throws {XmlError} and what the handler throws */
  feed(bytes: Uint8Array): void
  /** @throws {XmlError} when the document is not complete */
  end(): void
  /** Where the tag begins, or the text ends, that the handler is told of; from 1. */
  line(): number
}

const most = { depth: 128, attributes: 256, characters: 10_485_760 } as const
/** Characters that are read at once: the guard of lengths looks behind each. */
const pieceLength = 65_536

export function createXmlScanner(handler: XmlHandler): XmlScanner {
  const parser = new SaxesParser({ xmlns: false })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** Characters since the last tag or text, to a piece. */
  let held = 0
  let attributes = 0
  let line = 1
  const open: string[] = []
  const refuse = (reason: string) => new XmlError(reason, parser.line)

  parser.on('error', ({ message }) => {
    const reason = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
    throw refuse(open.length > 0 ? `${reason} in <${open.at(-1)}>` : reason)
  })
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (!/^(utf-?8|us-ascii|ascii)$/i.test(encoding))
      throw refuse(`the encoding is ${encoding.slice(0, 40)}, expected UTF-8`)
  })
  parser.on('doctype', (doctype) => {
    const isBare = !doctype.replace(/"[^"]*"|'[^']*'/g, '').includes('[')
    if (!isBare) throw refuse('a DOCTYPE with definitions is not allowed')
  })
  parser.on('opentagstart', ({ name }) => {
    if (open.push(name) > most.depth) throw refuse(`nested deeper than ${most.depth} levels`)
    ;[line, attributes] = [parser.line, 0]
  })
  parser.on('attribute', () => {
    if (++attributes > most.attributes) throw refuse(`more than ${most.attributes} attributes`)
  })
  parser.on('opentag', (tag) => {
    held = 0
    handler.open(tag.name, tag.attributes)
  })
  parser.on('closetag', ({ name, isSelfClosing }) => {
    held = 0
    open.pop()
    if (!isSelfClosing) line = parser.line
    handler.close(name)
  })
  const text = (piece: string) => {
    held = 0
    line = parser.line
    if (open.length > 0) handler.text(piece)
  }
  parser.on('text', text)
  parser.on('cdata', text)

  const take = (piece: string) => {
    parser.write(piece)
    held += piece.length
    if (held > most.characters)
      throw refuse(`a tag, text or comment of more than ${most.characters} characters`)
  }
  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes.length > 0 })
    } catch {
      throw new XmlError('not UTF-8', parser.line + goodLines(bytes))
    }
  }
  return {
    feed(bytes) {
      for (let from = 0; from < bytes.length; from += pieceLength)
        take(decode(bytes.subarray(from, from + pieceLength)))
    },
    end() {
      take(decode(new Uint8Array()))
      parser.close()
    },
    line: () => line,
  }
}

/** Line ends before the first byte that is no UTF-8. */
function goodLines(bytes: Uint8Array): number {
  const [good = ''] = new TextDecoder().decode(bytes).split('\ufffd', 1)
  return good.split('\n').length - 1
}
