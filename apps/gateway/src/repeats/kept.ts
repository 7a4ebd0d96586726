import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'

/** Stored form of a response. */
const kept = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})
export type Kept = z.infer<typeof kept>

/** Maximum size in bytes of a body that is stored completely. */
export const mostBytes = 1024 * 1024

/** Headers that belong to the stored response; all others belong to the current call. */
export const keptHeaders = [
  ...['content-type', 'cache-control', 'etag', 'location', 'x-error-code'],
  ...['upload-filename', 'upload-expires'],
]

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Encrypts a response, because it may contain values that are stored nowhere else, such as a new access token. */
export function seal(answer: Kept, key: Buffer): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  const sealed = [cipher.update(JSON.stringify(answer)), cipher.final()]
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64')
}

/**
 * Decrypts a response.
 * @throws Error when it was encrypted with another key or changed
 */
export function open(sealed: string, key: Buffer): Kept {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
  return kept.parse(JSON.parse(Buffer.concat(text).toString()))
}
