import { hash } from 'node:crypto'
import { DomainError } from '@reticle/kit'

const livesMs = 5000
const room = 10_000

interface Entry<T> {
  until: number
  found: Promise<T>
}

/** Remembers for 5 s what a credential was found to be; holds hashes of credentials, never one of them. */
export interface CredentialCache<T> {
  /** `ask` is called when nothing is known; callers at the same time share its answer. */
  get(credential: string, ask: () => Promise<T>): Promise<T>
  clear(): void
}

export function credentialCache<T>(): CredentialCache<T> {
  const entries = new Map<string, Entry<T>>()

  const keep = (key: string, found: Promise<T>) => {
    const [oldest] = entries.keys()
    if (entries.size >= room && oldest !== undefined) entries.delete(oldest)
    const entry = { until: Date.now() + livesMs, found }
    entries.set(key, entry)
    return entry
  }

  return {
    get(credential, ask) {
      const key = hash('sha256', credential, 'base64')
      const known = entries.get(key)
      if (known && known.until > Date.now()) return known.found
      entries.delete(key)
      const entry = keep(key, ask())
      entry.found.catch((thrown) => {
        if (!mayBeKept(credential, thrown) && entries.get(key) === entry) entries.delete(key)
      })
      return entry.found
    },
    clear: () => entries.clear(),
  }
}

/** A wrong token stays wrong. A wrong password has to be asked for each time: failures are counted where it is known. */
function mayBeKept(credential: string, thrown: unknown): boolean {
  const isPassword = /^\s*basic\b/i.test(credential)
  return !isPassword && thrown instanceof DomainError && thrown.kind === 'unauthenticated'
}
