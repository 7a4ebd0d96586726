/** Longest wait for a turn in milliseconds, and the error if it is exceeded. */
export interface QueueTimeout {
  ms: number
  late: () => Error
}

export type KeyedQueue = <R>(
  key: string,
  run: () => Promise<R>,
  patience?: QueueTimeout,
) => Promise<R>

/**
 * Creates a queue that runs tasks of one key one after another, and
 * tasks of different keys concurrently, within this process.
 */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>()
  return async (key, run, patience) => {
    const before = last.get(key)
    let end = () => {}
    const mine = new Promise<void>((resolve) => {
      end = resolve
    })
    const all = Promise.all([before, mine]).then(() => {
      if (last.get(key) === all) last.delete(key)
    })
    last.set(key, all)
    try {
      if (before) await (patience ? within(before, patience) : before)
      return await run()
    } finally {
      end()
    }
  }
}

async function within(turn: Promise<void>, { ms, late }: QueueTimeout): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    await Promise.race([turn, over])
  } finally {
    clearTimeout(timer)
  }
}
