import type { CocoId } from './record.ts'

/** Set of millions of ids. Numbers that are close together take one bit each; of text ids only the first are stored. */
export interface IdSet {
  /** Adds an id. Returns false when the set already contains it. */
  add(id: CocoId): boolean
}

const pageBits = 4096

/** Maximum number of pages; ids on further pages are not remembered, so that a file cannot exhaust the memory. */
const pagesKept = 65_536
/** Maximum number of text ids, which take about the same memory. */
const textsKept = 100_000

export function createIdSet(): IdSet {
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
