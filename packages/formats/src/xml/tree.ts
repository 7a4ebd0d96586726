/** Small XML documents as trees of elements: members of archives that describe one picture each. */
import { FormatError } from '../errors.ts'
import { decoderOf } from './encoding.ts'
import { createXmlScanner } from './scan.ts'
import { XmlError } from './xml-error.ts'

export interface XmlElement {
  name: string
  /** Its own text, as it stands there. */
  text: string
  children: readonly XmlElement[]
  /** Of its tag, from 1. */
  line: number
}

/** A picture has fewer; more would be a document made to fill the memory. */
const mostElements = 1_000_000

/**
 * The root of a document, in the encoding that it declares.
 * @throws {FormatError} with file and line of what is no XML
 */
export function readXmlTree(bytes: Uint8Array, file: string): XmlElement {
  try {
    return parse(bytes)
  } catch (thrown) {
    if (!(thrown instanceof XmlError)) throw thrown
    throw new FormatError(thrown.reason, { file, line: thrown.line })
  }
}

interface Draft extends XmlElement {
  children: Draft[]
}

function parse(bytes: Uint8Array): XmlElement {
  const top: Draft = { name: '', text: '', children: [], line: 1 }
  const open = [top]
  let elements = 0
  const scanner = createXmlScanner(
    {
      open(name) {
        elements += 1
        if (elements > mostElements)
          throw new XmlError(`more than ${mostElements} elements`, scanner.line())
        const element = { name, text: '', children: [], line: scanner.line() }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      close() {
        open.pop()
      },
      text(piece) {
        const element = open.at(-1)
        if (element) element.text += piece
      },
    },
    decoderOf(bytes),
  )
  scanner.feed(bytes)
  scanner.end()
  return top.children[0] ?? top
}

/** The first child of that name. */
export const childOf = (
  { children }: Pick<XmlElement, 'children'>,
  name: string,
): XmlElement | undefined => children.find((child) => child.name === name)

/** All children of that name. */
export const childrenOf = (
  { children }: Pick<XmlElement, 'children'>,
  name: string,
): XmlElement[] => children.filter((child) => child.name === name)

/** The text of the first child of that name, without the blanks and line ends that tools put around texts. */
export const textOf = (element: Pick<XmlElement, 'children'>, name: string): string | undefined =>
  childOf(element, name)?.text.trim()

/** The size that an element gives in pixels; undefined where a side is missing or not a number. */
export function sizeIn(
  element: XmlElement | undefined,
  widthName: string,
  heightName: string,
): { width: number; height: number } | undefined {
  const side = (name: string): number => Number((element && textOf(element, name)) || NaN)
  const [width, height] = [side(widthName), side(heightName)]
  return [width, height].every((one) => Number.isInteger(one) && one > 0)
    ? { width, height }
    : undefined
}
