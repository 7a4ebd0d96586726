/** Remembers millions of ids: one bit an id while they lie close together. */
export interface IdSet {
  /** False when the id was there before. */
  add(id: number): boolean
}

const pageBits = 4096

/** Ids strewn over more pages than these are not remembered: nobody may fill the memory with them. */
const pagesKept = 65_536

export function idSet(): IdSet {
  const pages = new Map<number, Uint8Array>()
  return {
    add(id) {
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
