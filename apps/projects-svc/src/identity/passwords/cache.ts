import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@reticle/kit/scheduling/clock'
import { isSameSecret } from '../secrets.ts'

const lifeMs = 60_000
const capacity = 1000

export interface Password {
  name: string
  password: string
  /** Network of the client. */
  network: string
}

/**
 * Creates a cache of recently verified passwords, so that a client that sends one with every call does not cost a
 * hash each time. Entries are HMACs under a key of this process, and valid only while the stored hash is unchanged.
 */
export function passwordCache(clock: Clock) {
  const key = randomBytes(32)
  const known = new Map<string, { stored: string; until: number }>()
  const digest = ({ name, password, network }: Password) =>
    createHmac('sha256', key)
      .update(JSON.stringify([name, password, network]))
      .digest('base64')

  return {
    /** Returns whether this password matched this stored hash within the last minute. */
    has(given: Password, stored: string): boolean {
      const entry = known.get(digest(given))
      return !!entry && entry.until > clock.now().getTime() && isSameSecret(entry.stored, stored)
    },
    add(given: Password, stored: string): void {
      const name = digest(given)
      known.delete(name) // moves it to the end, as the newest
      const [oldest] = known.keys()
      if (oldest !== undefined && known.size >= capacity) known.delete(oldest)
      known.set(name, { stored, until: clock.now().getTime() + lifeMs })
    },
  }
}
