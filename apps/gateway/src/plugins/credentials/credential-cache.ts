import { DomainError } from '@reticle/kit'
import { type CredentialId, isPassword } from './credential-id.ts'

const livesMs = 5000
const room = 10_000

interface Entry<T> {
  until: number
  found: Promise<T>
}

/** Caches the result of looking up a credential for 5 s. It stores only digests of credentials. */
export interface CredentialCache<T> {
  /** Returns the result of an earlier lookup, or a pending one. */
  find(id: CredentialId): Promise<T> | undefined
  /** Caches a pending lookup, which concurrent requests share. */
  keep(id: CredentialId, found: Promise<T>): Promise<T>
  clear(): void
}

export function createCredentialCache<T>(): CredentialCache<T> {
  const entries = new Map<string, Entry<T>>()

  return {
    find({ digest }) {
      const known = entries.get(digest)
      if (known && known.until > Date.now()) return known.found
      entries.delete(digest)
      return undefined
    },
    keep(id, found) {
      const [oldest] = entries.keys()
      if (entries.size >= room && oldest !== undefined) entries.delete(oldest)
      const entry = { until: Date.now() + livesMs, found }
      entries.set(id.digest, entry)
      found.catch((thrown) => {
        if (!isCacheable(id, thrown) && entries.get(id.digest) === entry) entries.delete(id.digest)
      })
      return found
    },
    clear: () => entries.clear(),
  }
}

/** A wrong token stays wrong. A wrong password must be looked up every time, because the service counts failures. */
const isCacheable = (id: CredentialId, thrown: unknown): boolean =>
  !isPassword(id) && isUnauthenticated(thrown)

export const isUnauthenticated = (thrown: unknown): boolean =>
  thrown instanceof DomainError && thrown.kind === 'unauthenticated'
