/**
 * Wraps a generator so that it can be released before its first step. A plain generator
 * then runs no code, not even `finally`. A reader that returns after the head of a
 * response (304, HEAD) thereby releases the resources of the response.
 * @param leave called instead of the `finally` of the generator, and only in that case
 */
export function toReleasable<T>(
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

/** Yields the same pieces, each requested within `ask`. A reader that stops early ends the source. */
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
