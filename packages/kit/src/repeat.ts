import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does some work now and then again and again, `ms` after its end; a failure is told and changes nothing. The signal it is
 * given fires at the stop: what is thrown from then on is told to nobody. Waiting keeps no process alive.
 *
 * @returns how to stop; resolves when no run is under way any more
 */
export function repeat(
  ms: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (thrown: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    try {
      await work(signal)
    } catch (thrown) {
      if (!signal.aborted) onError(thrown)
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      await run()
      await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const running = loop()
  return () => {
    stopping.abort()
    return running
  }
}
