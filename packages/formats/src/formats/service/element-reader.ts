/** A reader of XML elements: each open element returns the reader of the elements inside it. */
import type { XmlAttributes, XmlHandler } from '../../xml/scan.ts'

export interface ElementReader {
  open(name: string, attributes: XmlAttributes): ElementReader
  /** Receives the text of the element in pieces; absent when the text is ignored. */
  text?: (piece: string) => void
  close(): void
}

/** Ignores an element and its content. */
export const ignoredElement: ElementReader = { open: () => ignoredElement, close: () => undefined }

/** Creates an XML handler that reads the root with `read`. */
export function createHandler(read: ElementReader): XmlHandler {
  const open: ElementReader[] = [read]
  return {
    open(name, attributes) {
      open.push((open.at(-1) ?? ignoredElement).open(name, attributes))
    },
    text(piece) {
      open.at(-1)?.text?.(piece)
    },
    close() {
      open.pop()?.close()
    },
  }
}
