import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs some work at once and again `ms` milliseconds after each end. A failure is reported to `onError` and does not
 * end the repetition. The signal for the work fires at the stop, after which failures are not reported. The wait does
 * not keep the process alive.
 * @returns a function that stops it, and resolves when no run is active
 */
export function runRepeatedly(
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
