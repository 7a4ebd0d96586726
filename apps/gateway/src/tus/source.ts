/** Bytes that arrive, to be taken in pieces of wanted sizes. When they break off, that is their end. */
export interface Source {
  /** Waits until it is known whether anything more comes. */
  hasMore: () => Promise<boolean>
  /** The next bytes, at most so many. */
  take: (bytes: number) => AsyncIterable<Uint8Array>
  /** What broke them off; nothing when they came to their end, or to none yet. */
  broken: () => { thrown: unknown } | undefined
}

export function openSource(pieces: AsyncIterable<Uint8Array>): Source {
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
