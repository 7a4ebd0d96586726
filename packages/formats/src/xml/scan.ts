/**
 * Reads XML documents of any size with saxes: bytes are fed in pieces of any size, and elements are reported as they
 * are passed. Limits protect the memory, and no entity is defined, fetched or expanded.
 */
import { SaxesParser } from 'saxes'
import type { XmlTextDecoder } from './encoding.ts'
import { XmlError } from './xml-error.ts'

/** Values by name; undefined for missing attributes. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>

export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  /** Receives text of the innermost open element, in pieces. */
  text(piece: string): void
}

export interface XmlScanner {
  /**
   * Feeds bytes.
   * @throws {XmlError} and any error of the handler
   */
  feed(bytes: Uint8Array): void
  /**
   * Ends the document.
   * @throws {XmlError} when the document is incomplete
   */
  end(): void
  /** Returns the line where the current tag begins, or the current text ends; from 1. */
  line(): number
}

const most = { depth: 128, attributes: 256, characters: 10_485_760 } as const
/** Characters that are parsed at a time; lengths are checked after each piece. */
const pieceLength = 65_536

/**
 * Creates a scanner.
 * @param given Decoder of a caller that has determined the encoding; without it the document must be UTF-8.
 */
export function createXmlScanner(handler: XmlHandler, given?: XmlTextDecoder): XmlScanner {
  const parser = new SaxesParser({ xmlns: false })
  const decoder = given ?? new TextDecoder('utf-8', { fatal: true })
  const state: State = { held: 0, line: 1, open: [] }
  guard(parser, state, given)
  tell(parser, state, handler)
  nameFaults(parser, state)

  const take = (piece: string) => {
    parser.write(piece)
    state.held += piece.length
    if (state.held > most.characters)
      throw refusal(parser, `a tag, text or comment of more than ${most.characters} characters`)
  }
  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes.length > 0 })
    } catch {
      const name = decoder.encoding.toUpperCase()
      throw new XmlError(`not ${name}`, parser.line + goodLines(bytes, decoder))
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
    line: () => state.line,
  }
}

interface State {
  /** Characters since the last tag or text, rounded up to a piece. */
  held: number
  line: number
  /** Names of the open elements. */
  open: string[]
}

const refusal = ({ line }: SaxesParser, reason: string) => new XmlError(reason, line)

/**
 * Throws errors of the parser as `XmlError`. An error handler is not used: with eight or more handlers the parser
 * takes several times as long, because the engine no longer optimizes an object with so many properties.
 */
function nameFaults(parser: SaxesParser, { open }: State): void {
  parser.makeError = (message) => {
    const reason = message.replace(/\.$/, '')
    return refusal(parser, open.length > 0 ? `${reason} in <${open.at(-1)}>` : reason)
  }
}

/**
 * Refuses constructs that may be large or refer to other resources, and a declared encoding other than the decoder's.
 */
function guard(parser: SaxesParser, state: State, given: XmlTextDecoder | undefined): void {
  const { open } = state
  let attributes = 0
  parser.on('doctype', (doctype) => {
    const isBare = !doctype.replace(/"[^"]*"|'[^']*'/g, '').includes('[')
    if (!isBare) throw refusal(parser, 'a DOCTYPE with definitions is not allowed')
  })
  parser.on('opentagstart', ({ name }) => {
    attributes = 0
    state.line = parser.line
    if (open.length === 0 && !given) refuseOtherEncodings(parser)
    if (open.push(name) > most.depth)
      throw refusal(parser, `nested deeper than ${most.depth} levels`)
  })
  parser.on('attribute', () => {
    if (++attributes > most.attributes)
      throw refusal(parser, `more than ${most.attributes} attributes`)
  })
}

function refuseOtherEncodings({ xmlDecl: { encoding = 'UTF-8' } }: SaxesParser): void {
  if (!/^(utf-?8|us-ascii|ascii)$/i.test(encoding))
    throw new XmlError(`the encoding is ${encoding.slice(0, 40)}, expected UTF-8`, 1)
}

/** Reports tags and texts to the handler. */
function tell(parser: SaxesParser, state: State, handler: XmlHandler): void {
  const { open } = state
  parser.on('opentag', ({ name, attributes }) => {
    state.held = 0
    handler.open(name, attributes)
  })
  parser.on('closetag', ({ name, isSelfClosing }) => {
    state.held = 0
    if (!isSelfClosing) state.line = parser.line
    open.pop()
    handler.close(name)
  })
  const text = (piece: string) => {
    state.held = 0
    state.line = parser.line
    if (open.length > 0) handler.text(piece)
  }
  parser.on('text', text)
  parser.on('cdata', text)
}

/** Counts line ends before the first byte that is invalid in the encoding. */
function goodLines(bytes: Uint8Array, { encoding }: XmlTextDecoder): number {
  const [good = ''] = new TextDecoder(encoding).decode(bytes).split('\ufffd', 1)
  return good.split('\n').length - 1
}
