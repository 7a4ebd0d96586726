import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs a task now and then again and again, `ms` after its end; a failure is told and changes nothing.
 *
 * @returns how to stop; resolves when no run is under way any more
 */
export function repeat(
  ms: number,
  task: () => Promise<unknown>,
  onError: (thrown: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async () => {
    while (!signal.aborted) {
      await task().catch(onError)
      await sleep(ms, undefined, { signal }).catch(() => undefined)
    }
  }
  const running = loop()
  return () => {
    stopping.abort()
    return running
  }
}
