import { DomainError } from '@reticle/kit'
import { type CredentialId, isPassword } from './credential-id.ts'

const livesMs = 5000
const room = 10_000

interface Entry<T> {
  until: number
  found: Promise<T>
}

/** Remembers for 5 s what a credential was found to be; holds digests of credentials, never one of them. */
export interface CredentialCache<T> {
  /** The result of an earlier call, or of one that is pending. */
  find(id: CredentialId): Promise<T> | undefined
  /** Keeps an answer that is on its way; callers at the same time share it. */
  keep(id: CredentialId, found: Promise<T>): Promise<T>
  clear(): void
}

export function credentialCache<T>(): CredentialCache<T> {
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
        if (!mayBeKept(id, thrown) && entries.get(id.digest) === entry) entries.delete(id.digest)
      })
      return found
    },
    clear: () => entries.clear(),
  }
}

/** A wrong token stays wrong. A wrong password has to be asked for each time: failures are counted where it is known. */
const mayBeKept = (id: CredentialId, thrown: unknown): boolean =>
  !isPassword(id) && isUnauthenticated(thrown)

export const isUnauthenticated = (thrown: unknown): boolean =>
  thrown instanceof DomainError && thrown.kind === 'unauthenticated'
