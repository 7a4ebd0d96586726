/** A reader of XML elements: each open element returns the reader of the elements inside it. */
import type { XmlAttributes, XmlHandler } from '../xml/scan.ts'

export interface Context {
  open(name: string, attributes: XmlAttributes): Context
  /** Receives the text of the element in pieces; absent when the text is ignored. */
  text?: (piece: string) => void
  close(): void
}

/** Ignores an element and its content. */
export const passedOver: Context = { open: () => passedOver, close: () => undefined }

/** Creates an XML handler that reads the root with `read`. */
export function handlerOf(read: Context): XmlHandler {
  const open: Context[] = [read]
  return {
    open(name, attributes) {
      open.push((open.at(-1) ?? passedOver).open(name, attributes))
    },
    text(piece) {
      open.at(-1)?.text?.(piece)
    },
    close() {
      open.pop()?.close()
    },
  }
}
