import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'

/** Stored form of a response. */
const storedResponse = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})
export type StoredResponse = z.infer<typeof storedResponse>

/** Maximum size in bytes of a body that is stored completely. */
export const mostBytes = 1024 * 1024

/** Headers that belong to the stored response; all others belong to the current call. */
export const storedHeaders = [
  'content-type',
  'cache-control',
  'etag',
  'location',
  'x-error-code',
  'upload-filename',
  'upload-expires',
]

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Encrypts a response, because it may contain values that are stored nowhere else, such as a new access token. */
export function encryptResponse(answer: StoredResponse, key: Buffer): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  const sealed = [cipher.update(JSON.stringify(answer)), cipher.final()]
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64')
}

/**
 * Decrypts a response.
 * @throws Error when it was encrypted with another key or changed
 */
export function decryptResponse(sealed: string, key: Buffer): StoredResponse {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
  return storedResponse.parse(JSON.parse(Buffer.concat(text).toString()))
}
