/**
 * A generator that is left before it began runs none of its code, not even `finally`. This one does: a reader who looks
 * at the head of an answer and then returns (304, HEAD) sets free what the answer holds.
 *
 * @param leave called instead of the generator's own `finally`, and only then
 */
export function leavable<T>(
  generator: AsyncGenerator<T>,
  leave: () => Promise<unknown>,
): AsyncIterable<T> {
  let hasBegun = false
  const iterator: AsyncIterator<T> = {
    next: () => {
      hasBegun = true
      return generator.next()
    },
    return: async () => {
      if (!hasBegun) await leave()
      return generator.return(undefined)
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** The same pieces, each asked for within `ask`; leaving them early is passed on. */
export function eachNext<T>(
  pieces: AsyncIterator<T>,
  ask: <R>(next: () => Promise<R>) => Promise<R>,
): AsyncIterable<T> {
  const iterator: AsyncIterator<T> = {
    next: () => ask(() => pieces.next()),
    return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
