import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Creates a pause that all callers share: it starts with the first caller, and all continue together, so that their
 * reads can be joined (`batch-reads.ts`).
 * @returns a function that rejects as soon as the signal fires
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
