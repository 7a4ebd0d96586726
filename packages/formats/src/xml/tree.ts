/** Reads small XML documents as trees of elements: members of archives that describe one image each. */
import { FormatError } from '../report/errors.ts'
import { decoderOf } from './encoding.ts'
import { createXmlScanner } from './scan.ts'
import { XmlError } from './xml-error.ts'

export interface XmlElement {
  name: string
  /** Text of the element itself, not trimmed. */
  text: string
  children: readonly XmlElement[]
  /** Line of its tag, from 1. */
  line: number
}

/** Maximum number of elements; a document of one image has far fewer. */
const mostElements = 1_000_000

/**
 * Returns the root of a document, in the encoding that it declares.
 * @throws {FormatError} with file and line of invalid XML
 */
export function readXmlTree(bytes: Uint8Array, file: string): XmlElement {
  try {
    return parse(bytes)
  } catch (thrown) {
    if (!(thrown instanceof XmlError)) throw thrown
    throw new FormatError(thrown.reason, { file, line: thrown.line })
  }
}

interface ElementDraft extends XmlElement {
  children: ElementDraft[]
}

function parse(bytes: Uint8Array): XmlElement {
  const top: ElementDraft = { name: '', text: '', children: [], line: 1 }
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

/** Returns the first child with that name. */
export const childOf = (
  { children }: Pick<XmlElement, 'children'>,
  name: string,
): XmlElement | undefined => children.find((child) => child.name === name)

/** Returns all children with that name. */
export const childrenOf = (
  { children }: Pick<XmlElement, 'children'>,
  name: string,
): XmlElement[] => children.filter((child) => child.name === name)

/** Returns the text of the first child with that name, without surrounding whitespace. */
export const textOf = (element: Pick<XmlElement, 'children'>, name: string): string | undefined =>
  childOf(element, name)?.text.trim()

/** Returns the size that an element declares in pixels; undefined when a side is missing or not a number. */
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
