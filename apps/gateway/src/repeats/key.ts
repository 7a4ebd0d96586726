import { createHash } from 'node:crypto'
import { invalid } from '@reticle/kit'

/** The header, in its written form and as Node provides it. */
const headerName = 'Idempotency-Key'
export const keyHeader = 'idempotency-key'

/** Scope of a key: the same key for another path or user is a different one. */
export interface KeyScope {
  user_id: number
  method: string
  path: string
}

/**
 * Reads a key.
 * @throws DomainError invalid, naming the header, unless the key has 1 to 255 printable characters
 */
export function readKey(given: string | string[]): string {
  const key = String(given)
  if (/^[ -~]{1,255}$/.test(key)) return key
  throw invalid({ [headerName]: 'This header has to be 1 to 255 printable ASCII characters.' })
}

const formatScopedKey = (key: string, { user_id, method, path }: KeyScope) =>
  JSON.stringify([user_id, method, path, key])

/** UUID namespace of these keys. */
const namespace = Buffer.from('9d2b4a52c3f74f0f9d1d1f0a6f5b7c31', 'hex')

/** Returns the id of the row of a key: a UUID of version 5, so that the key itself is not stored. */
export function keyId(key: string, scope: KeyScope): string {
  const bytes = createHash('sha1').update(namespace).update(formatScopedKey(key, scope)).digest()
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, 16)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns the encryption key for the response of a key, so that it can only be read by a client that has the key. */
export function encryptionKeyOf(key: string, scope: KeyScope): Buffer {
  return createHash('sha256').update('answer ').update(formatScopedKey(key, scope)).digest()
}
