/** A document is read by what is open: each element says who reads the elements in it. */
import type { XmlAttributes, XmlHandler } from '../xml/scan.ts'

export interface Context {
  open(name: string, attributes: XmlAttributes): Context
  /** Text of the element, in pieces; absent: it does not matter. */
  text?: (piece: string) => void
  close(): void
}

/** An element that does not matter, with all that is in it. */
export const passedOver: Context = { open: () => passedOver, close: () => undefined }

/** A document whose root `read` opens. */
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
