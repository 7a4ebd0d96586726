import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { beyondCall } from '../call/signal.ts'

/** Bounds the rows that one query returns. */
const keysPerQuery = 20

interface Batch<K, V> {
  keys: Set<K>
  values: Promise<ReadonlyMap<K, V>>
}

/**
 * Joins reads of single keys into one query: all keys of one turn of the event loop, each once. Keys that arrive while
 * a query runs wait for the next one, so queries never run side by side. A query belongs to all of its callers: it
 * continues when the call that triggered it ends.
 * @param readAll reads the values; a key without an entry in the result is missing
 * @param gapMs shortest time from the start of one query to that of the next, in milliseconds
 */
export function batchReads<K, V>(
  readAll: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  gapMs = 0,
): (key: K) => Promise<V | undefined> {
  let open: Batch<K, V> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let earliest = 0

  function openBatch(): Batch<K, V> {
    const keys = new Set<K>()
    const before = last
    const values = beyondCall(async () => {
      await before
      const wait = earliest - performance.now()
      await (wait > 0 ? sleep(wait) : nextTurn())
      earliest = performance.now() + gapMs
      if (open?.keys === keys) open = undefined
      return readAll([...keys])
    })
    last = values.catch(() => undefined) // each caller handles the failure of the batch it waits for
    return { keys, values }
  }

  return async (key) => {
    if (!open || (open.keys.size === keysPerQuery && !open.keys.has(key))) open = openBatch()
    open.keys.add(key)
    return (await open.values).get(key)
  }
}

/**
 * Creates a pause that all callers share: it starts with the first caller, and all continue together, so that their
 * reads can be joined (`batchReads`).
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
