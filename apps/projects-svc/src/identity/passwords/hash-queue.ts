import { unavailable } from '@reticle/kit/errors'

export interface HashQueueSettings {
  /** Hashes that are computed side by side. */
  atOnce: number
  /** Hashes that may wait; one more is refused. */
  waiting: number
}

/**
 * Runs password hashes a few at a time. Each takes 19 MiB and one of the few threads that files and names of hosts are read
 * with, so a flood of sign-ins must neither fill the memory nor occupy every thread.
 */
export function hashQueue({ atOnce, waiting }: HashQueueSettings) {
  const pending: (() => void)[] = []
  let running = 0

  const begin = () => {
    if (running < atOnce) {
      running++
      return undefined
    }
    if (pending.length >= waiting)
      throw unavailable('Too many passwords are being checked. Please try again.', 1)
    return new Promise<void>((resolve) => pending.push(resolve))
  }
  const end = () => {
    const next = pending.shift()
    if (next) next()
    else running--
  }

  /** @throws DomainError unavailable when too many are waiting */
  return async <R>(hash: () => Promise<R>): Promise<R> => {
    await begin()
    try {
      return await hash()
    } finally {
      end()
    }
  }
}
