export interface LatestWriter<T> {
  write: (value: T) => void
  /** Resolves when what was to be written is. */
  written: () => Promise<void>
}

/** Writes one value at a time; of those that come meanwhile, the last only: they never queue up, however many there are. */
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
