import { createHmac, randomBytes } from 'node:crypto'
import { networkOf } from '@reticle/kit/network'
import type { FastifyRequest } from 'fastify'

/** A credential of a request, without what does not change its meaning: the spelling of its scheme. */
export interface CredentialId {
  /** HMAC under a key of this process: nothing that is kept can be used to sign in. */
  digest: string
  /** For a password: whose it is, and from which network. Guesses of a password are counted under it. */
  account?: string
}

export const isPassword = ({ account }: CredentialId): boolean => account !== undefined

const key = randomBytes(32)
const digestOf = (parts: readonly string[]) =>
  createHmac('sha256', key).update(parts.join('\0')).digest('base64') // no header holds a NUL

export const tokenId = (token: string): CredentialId => ({ digest: digestOf(['token', token]) })
export const sessionId = (session: string): CredentialId => ({
  digest: digestOf(['cookie', session]),
})

/**
 * Of an `Authorization` header. `Token` and `Bearer` are one scheme. A password is another credential in every network: that
 * use by its owner must not let a guess from another network through.
 */
export function authorizationId(authorization: string, { ip }: FastifyRequest): CredentialId {
  const text = authorization.trim()
  const end = text.search(/\s/)
  const scheme = text.slice(0, end === -1 ? undefined : end).toLowerCase()
  const value = end === -1 ? '' : text.slice(end).trim()
  if (scheme === 'token' || scheme === 'bearer') return tokenId(value)
  const network = networkOf(ip)
  const digest = digestOf([scheme, value, network])
  return scheme === 'basic'
    ? { digest, account: digestOf([network, usernameOf(value)]) }
    : { digest }
}

function usernameOf(encoded: string): string {
  const [username = ''] = Buffer.from(encoded, 'base64').toString().split(':', 1)
  return username.toLowerCase()
}
