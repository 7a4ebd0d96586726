import type { GatewayServices } from '../../ports.ts'
import { createWindowCounter } from '../rates/window-counter.ts'
import { type CredentialId, sessionId, tokenId } from './credential-id.ts'

/** Maximum number of digests of 44 characters: about 2 MB. */
const room = 10_000

/** Equal to the wrong passwords that a service allows for one account from one network. */
const guesses = { max: 10, ms: 10 * 60_000 }

/** Credentials that were valid when they were last looked up; the least recently used are dropped. */
export interface GoodCredentials {
  add(id: CredentialId): void
  delete(id: CredentialId): void
  has(id: CredentialId): boolean
  /**
   * Returns whether a credential may be looked up although the limit of its network is exhausted. Good ones may,
   * except a password after ten other passwords for the same account, because a lookup confirms a guess.
   */
  isAdmitted(id: CredentialId): boolean
}

export function createGoodCredentials(capacity = room): GoodCredentials {
  const digests = new Set<string>() // least recently used first
  const guessed = createWindowCounter(guesses.max, guesses.ms)

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

/** Wraps the identity service so that every issued credential is known as good. */
export function rememberIssued(
  identity: GatewayServices['identity'],
  good: GoodCredentials,
): GatewayServices['identity'] {
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
