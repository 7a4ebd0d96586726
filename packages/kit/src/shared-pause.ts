import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A pause that all callers share: it begins with the first caller, and all of them continue together. What they read
 * afterwards can be read at once (`batch-reads.ts`).
 *
 * @returns rejects as soon as the signal fires
 */
export function sharedPause(ms: number): (signal: AbortSignal) => Promise<void> {
  let current: Promise<void> | undefined
  const begin = async () => {
    await sleep(ms)
    current = undefined
  }
  return async (signal) => {
    current ??= begin()
    await unlessAborted(current, signal)
  }
}

async function unlessAborted(pause: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  try {
    await Promise.race([pause, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
