/**
 * Waits for `pending`, and rejects with the reason of `signal` if that
 * fires first. The result of `pending` is then ignored.
 */
export function orAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** Yields the items of `source` until `signal` fires, even while the source is silent. */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await orAborted(iterator.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    // Not awaited: the return of a silent source may never settle.
    iterator.return?.().catch(() => undefined)
  }
}
