/** Arriving bytes that are taken in pieces of requested sizes. When they break off, the source ends. */
export interface ChunkSource {
  /** Waits until it is known whether more bytes come. */
  hasMore: () => Promise<boolean>
  /** Yields the next bytes, up to the given number. */
  take: (bytes: number) => AsyncIterable<Uint8Array>
  /** Returns the error that broke them off; undefined after a regular end. */
  broken: () => { thrown: unknown } | undefined
}

export function openChunkSource(pieces: AsyncIterable<Uint8Array>): ChunkSource {
  const iterator = pieces[Symbol.asyncIterator]()
  let next: Uint8Array | undefined
  let isOver = false
  let broken: { thrown: unknown } | undefined

  const fill = async () => {
    while (!next?.length && !isOver) {
      const found = await iterator.next().catch((thrown: unknown) => {
        broken = { thrown }
        return { done: true, value: undefined } as const
      })
      if (found.done) isOver = true
      else next = found.value
    }
    return next?.length ? next : undefined
  }

  async function* take(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      const piece = await fill()
      if (!piece) return
      const taken = piece.subarray(0, left)
      next = piece.subarray(taken.length)
      left -= taken.length
      yield taken
    }
  }

  return { hasMore: async () => (await fill()) !== undefined, take, broken: () => broken }
}
