/** Ends with `pending`, or with the reason of `signal` when that comes first; then nobody waits for `pending` any more. */
export function orAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** What `source` gives until `signal` fires, also when it is silent just then. */
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
    // Not awaited: a source that is silent would keep everyone waiting.
    iterator.return?.().catch(() => undefined)
  }
}
