import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** Tokens and their stored form (`docs/spec/reliability.md#identity-and-secrets`). */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const prefixLength = 8

/** Returns `<8 characters>.<32 characters>`. The prefix may be shown any time, the whole token only once. */
export function newAccessToken(): { value: string; prefix: string } {
  const prefix = letters(prefixLength)
  return { value: `${prefix}.${letters(32)}`, prefix }
}

function letters(count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** Returns a new value of a session cookie. */
export const newSession = () => letters(32)

/** Returns a new key for a mail. */
export const newMailedKey = () => letters(40)

/** Returns a new deprecated token: 40 hexadecimal digits. */
export const newLegacyToken = () => randomBytes(20).toString('hex')

/**
 * Returns the stored form of a token. Lookup uses a unique index on it, so no timing of a comparison reveals a token.
 */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Compares two secrets in a time that does not depend on their content. */
export const isSameSecret = (a: string, b: string) => timingSafeEqual(hashOf(a), hashOf(b))
