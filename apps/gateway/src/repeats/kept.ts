import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'

/** What an answer is kept as, for those who ask again (`spec/extensions.md` 7). */
const kept = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})
export type Kept = z.infer<typeof kept>

/** Of a body that is kept whole. */
export const mostBytes = 1024 * 1024

/** Headers that belong to the answer; all others belong to the request that is answered. */
export const keptHeaders = [
  ...['content-type', 'cache-control', 'etag', 'location', 'x-error-code'],
  ...['upload-filename', 'upload-expires'],
]

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Sealed, since an answer may show what is stored nowhere else: the value of a new access token. */
export function seal(answer: Kept, key: Buffer): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce)
  const sealed = [cipher.update(JSON.stringify(answer)), cipher.final()]
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64')
}

/** @throws Error when it was sealed for somebody else, or changed since */
export function open(sealed: string, key: Buffer): Kept {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]
  return kept.parse(JSON.parse(Buffer.concat(text).toString()))
}
