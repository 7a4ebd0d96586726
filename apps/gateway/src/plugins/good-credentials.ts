import type { Services } from '../ports.ts'
import { type CredentialId, sessionId, tokenId } from './credential-id.ts'
import { windowCounter } from './window-counter.ts'

/** Digests of 44 characters each: about 2 MB. */
const room = 10_000

/** As many wrong passwords as a service allows for one account from one network (`reliability.md` 11). */
const guesses = { max: 10, ms: 10 * 60_000 }

/** Credentials that were right when they were last looked up, the least recently used of which are forgotten. */
export interface GoodCredentials {
  add(id: CredentialId): void
  delete(id: CredentialId): void
  has(id: CredentialId): boolean
  /**
   * May this credential be looked up although the limit of its network is used up? Good ones may. Since a lookup confirms
   * a guess, no password may after ten other passwords for the same account.
   */
  isAdmitted(id: CredentialId): boolean
}

export function goodCredentials(capacity = room): GoodCredentials {
  const digests = new Set<string>() // the least recently used first
  const guessed = windowCounter(guesses.max, guesses.ms)

  const good: GoodCredentials = {
    add({ digest }) {
      digests.delete(digest)
      const [oldest] = digests
      if (oldest !== undefined && digests.size >= capacity) digests.delete(oldest)
      digests.add(digest)
    },
    delete: ({ digest }) => void digests.delete(digest),
    has: ({ digest }) => digests.has(digest),
    isAdmitted(id) {
      const isGood = good.has(id)
      if (id.account === undefined) return isGood
      const { isUsedUp } = isGood ? guessed.peek(id.account) : guessed.take(id.account)
      return isGood && !isUsedUp
    },
  }
  return good
}

/** Wraps the service so that every credential it issues is known to be good. */
export function rememberIssued(
  identity: Services['identity'],
  good: GoodCredentials,
): Services['identity'] {
  return {
    ...identity,
    async signIn(input, context) {
      const issued = await identity.signIn(input, context)
      good.add(tokenId(issued.key))
      good.add(sessionId(issued.session))
      return issued
    },
    async register(input, context) {
      const registered = await identity.register(input, context)
      if (registered.key) good.add(tokenId(registered.key))
      return registered
    },
    async createAccessToken(input, context) {
      const created = await identity.createAccessToken(input, context)
      good.add(tokenId(created.value))
      return created
    },
  }
}
