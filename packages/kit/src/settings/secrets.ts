import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encryption of stored secrets that must be read again: secrets of webhooks, keys of cloud storages. */
export interface SecretBox {
  /** Encrypts a text for a `place` (`webhooks.secret:7`); it cannot be decrypted for another one. */
  seal: (text: string, place: string) => string
  /**
   * Decrypts a text.
   * @throws Error if the key is unknown, the place differs, or a byte was changed
   */
  open: (sealed: string, place: string) => string
  /** Returns true if the text was encrypted with another key than the newest, and should be encrypted again. */
  isOld: (sealed: string) => boolean
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/**
 * Creates a box.
 * @param keys `<id>:<base64 of 32 bytes>,...`, the newest first: the newest encrypts, and each decrypts
 * @throws Error naming the invalid entry without showing it
 */
export function secretBox(keys: string): SecretBox {
  const known = parseKeys(keys)
  const [newest] = known
  if (!newest) throw new Error('RETICLE_SECRET_KEYS: at least one key is needed, <id>:<base64>')
  const [id, key] = newest
  const prefix = `${id}.`

  return {
    seal: (text, place) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return prefix + Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64')
    },
    open: (sealed, place) => openWith(known, sealed, place),
    isOld: (sealed) => !sealed.startsWith(prefix),
  }
}

/** Generates a key in the form that `secretBox` accepts. */
export const newSecretKey = (id: string) => `${id}:${randomBytes(keyBytes).toString('base64')}`

function openWith(known: Map<string, Buffer>, sealed: string, place: string): string {
  const [id = '', encoded = ''] = sealed.split('.', 2)
  const key = known.get(id)
  if (!key)
    throw new Error(
      `a secret was sealed with the key "${id}", which RETICLE_SECRET_KEYS does not have`,
    )
  const bytes = Buffer.from(encoded, 'base64')
  const nonce = bytes.subarray(0, nonceBytes)
  const body = bytes.subarray(nonceBytes, -tagBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
}

function parseKeys(keys: string): Map<string, Buffer> {
  const known = new Map<string, Buffer>()
  for (const [index, entry] of keys.split(',').entries()) {
    if (entry.trim() === '') continue
    const wrong = (what: string) => new Error(`RETICLE_SECRET_KEYS: entry ${index + 1} ${what}`)
    const [id = '', encoded] = entry.trim().split(':', 2)
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id)) {
      throw wrong('needs a name of letters, digits, - and _ before its colon')
    }
    if (known.has(id)) throw wrong(`has the name "${id}" of an earlier one`)
    const key = Buffer.from(encoded ?? '', 'base64')
    if (key.length !== keyBytes) throw wrong(`has ${key.length} bytes, ${keyBytes} are needed`)
    known.set(id, key)
  }
  return known
}
