export interface LatestWriter<T> {
  write: (value: T) => void
  /** Resolves when the last value is written. */
  written: () => Promise<void>
}

/**
 * Writes one value at a time. Of the values that arrive during a write
 * only the last is written next, so no queue builds up.
 */
export function latestWriter<T>(write: (value: T) => Promise<void>): LatestWriter<T> {
  let waiting: { value: T } | undefined
  let writing = Promise.resolve()
  let isWriting = false
  const writeAll = async () => {
    isWriting = true
    for (let next = waiting; next; next = waiting) {
      waiting = undefined
      await write(next.value)
    }
    isWriting = false
  }
  return {
    write: (value) => {
      waiting = { value }
      if (!isWriting) writing = writeAll()
    },
    written: () => writing,
  }
}
