import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** Tokens that people carry, and what is kept of them (`reliability.md` 11). */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const prefixLength = 8

/** `<8 characters>.<32 characters>`: the part before the point may be shown, the whole only once. */
export function newAccessToken(): { value: string; prefix: string } {
  const prefix = letters(prefixLength)
  return { value: `${prefix}.${letters(32)}`, prefix }
}

function letters(count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** The value of a session's cookie. */
export const newSession = () => letters(32)

/** What is mailed to somebody, to be shown once. */
export const newMailedKey = () => letters(40)

/** A token of the deprecated kind: 40 hexadecimal digits. */
export const newLegacyToken = () => randomBytes(20).toString('hex')

/** The only form in which a token is stored and looked up: by a unique index, so that nothing is compared in time. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Compares two secret texts in the same time whatever they hold. */
export const isSameSecret = (a: string, b: string) => timingSafeEqual(hashOf(a), hashOf(b))
