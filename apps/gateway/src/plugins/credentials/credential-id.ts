import { createHmac, randomBytes } from 'node:crypto'
import { networkOf } from '@reticle/kit/net/network'
import type { FastifyRequest } from 'fastify'

/** Identifier of a credential, independent of the spelling of its scheme. */
export interface CredentialId {
  /** HMAC with a key of this process, so that no stored value can be used to sign in. */
  digest: string
  /** Only for a password: its account and the network of the client. Wrong guesses are counted by this value. */
  account?: string
}

export const isPassword = ({ account }: CredentialId): boolean => account !== undefined

const key = randomBytes(32)
const digestOf = (parts: readonly string[]) =>
  createHmac('sha256', key).update(parts.join('\0')).digest('base64') // headers cannot contain NUL

export const tokenId = (token: string): CredentialId => ({ digest: digestOf(['token', token]) })
export const sessionId = (session: string): CredentialId => ({
  digest: digestOf(['cookie', session]),
})

/**
 * Returns the identifier of an `Authorization` header. `Token` and `Bearer` are equal. A password is a different
 * credential in every network, so that its use by the owner does not admit guesses from other networks.
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
