import { unavailable } from '@reticle/kit/call/errors'

export interface HashQueueSettings {
  /** Limit on hashes computed in parallel. */
  atOnce: number
  /** Limit on waiting hashes; further ones are rejected. */
  waiting: number
}

/**
 * Creates a queue of password hashes. Each hash takes 19 MiB and one of the few threads that Node also uses for files
 * and DNS, so many sign-ins must neither fill the memory nor occupy all threads.
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
