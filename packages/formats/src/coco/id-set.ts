import type { CocoId } from './record.ts'

/** Remembers millions of ids: one bit an id while they lie close together; of texts the first. */
export interface IdSet {
  /** False when the id was there before. */
  add(id: CocoId): boolean
}

const pageBits = 4096

/** Ids strewn over more pages than these are not remembered: nobody may fill the memory with them. */
const pagesKept = 65_536
/** As many texts take as much. */
const textsKept = 100_000

export function idSet(): IdSet {
  const pages = new Map<number, Uint8Array>()
  const texts = new Set<string>()
  return {
    add(id) {
      if (typeof id === 'string') {
        if (texts.has(id)) return false
        if (texts.size < textsKept) texts.add(id)
        return true
      }
      const number = Math.floor(id / pageBits)
      let page = pages.get(number)
      if (!page) {
        if (pages.size >= pagesKept) return true
        page = new Uint8Array(pageBits / 8)
        pages.set(number, page)
      }
      const bit = id - number * pageBits
      const mask = 1 << (bit & 7)
      const byte = page[bit >> 3] ?? 0
      page[bit >> 3] = byte | mask
      return (byte & mask) === 0
    },
  }
}
