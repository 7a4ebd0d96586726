import { unavailable } from '../errors.ts'
import { eachNext } from '../rpc/leave.ts'

/**
 * Longest that one side of a stream waits for the other to take or to send the next piece. It is as long as a stream may
 * take: a pause may be work of the other side, keepalive detects a peer that is gone, and the gateway watches its clients.
 */
export const idleLimitMs = 10 * 60_000

/** What `wait` resolves to. @throws unavailable when that takes longer than `ms` */
export async function within<T>(ms: number, wait: Promise<T>): Promise<T> {
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

/** The same pieces, none of which is waited for longer than `ms`. */
export function moving<T>(ms: number, pieces: AsyncIterator<T>): AsyncIterable<T> {
  return eachNext(pieces, (next) => within(ms, next()))
}
