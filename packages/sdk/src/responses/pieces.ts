/** Limit on the time without data, and a callback for it. */
export interface SilenceLimit {
  silenceMs: number
  onSilence?: () => void
  signal?: AbortSignal
}

/**
 * Yields the body of a response.
 *
 * @throws when it breaks off, when no data arrives within the limit, the reason of the signal
 */
export async function* timedPieces(
  { body }: Response,
  { silenceMs, onSilence, signal }: SilenceLimit,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read(), silenceMs, onSilence)
      signal?.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined) // the consumer has stopped reading
  }
}

async function withinTime<T>(
  given: Promise<T>,
  ms: number,
  onSilence: (() => void) | undefined,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onSilence?.()
      reject(new Error(`nothing came for ${ms / 1000} seconds`))
    }, ms)
  })
  try {
    return await Promise.race([given, silence])
  } finally {
    clearTimeout(timer)
  }
}
