import { unavailable } from '../../call/errors.ts'
import { eachNext } from '../releasable.ts'

/**
 * Longest time in milliseconds that one side of a stream waits for the other to send or accept the next piece. It
 * equals the longest duration of a stream: a pause may be work of the other side, keepalive detects a vanished peer,
 * and the gateway watches its clients.
 */
export const idleLimitMs = 10 * 60_000

/**
 * Waits for a promise with a time limit.
 * @throws DomainError `unavailable` if it takes longer than `ms` milliseconds
 */
export async function withTimeLimit<T>(ms: number, wait: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(unavailable(`Nothing moved for ${ms / 1000} s.`))
    timer = setTimeout(fail, ms)
  })
  try {
    return await Promise.race([wait, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Yields the same pieces, and waits at most `ms` milliseconds for each. */
export function withIdleLimit<T>(ms: number, pieces: AsyncIterator<T>): AsyncIterable<T> {
  return eachNext(pieces, (next) => withTimeLimit(ms, next()))
}
