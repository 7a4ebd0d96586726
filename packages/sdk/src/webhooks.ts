/** Verification of webhook deliveries, over the raw bytes of the body. */

/** Headers of a delivery: as `Headers`, as in Node.js, or only the value of `X-Signature-256`. */
export type DeliveryHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | string
  | null
  | undefined

export interface VerifyOptions {
  /** Maximum difference of the time of a delivery from now in seconds; default 300. */
  tolerance_seconds?: number
  /** Replaces the present time. */
  now?: Date
}

const usualTolerance = 300

/**
 * Returns whether a delivery was signed with the secret. While a secret is being replaced, a delivery has a signature
 * of each. The one with the old secret is only in `webhook-signature`, so pass all headers; `X-Signature-256`
 * contains only that with the new one. Two secrets can be passed as well. The comparison takes constant time.
 *
 * @param body raw bytes, or their text
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  body: Uint8Array | string,
  headers: DeliveryHeaders,
  options: VerifyOptions = {},
): Promise<boolean> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const header = readerOf(headers)
  const standard = header('webhook-signature')
  if (standard === undefined) return isContract(secrets, bytes, header('x-signature-256'))
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  if (id === undefined || timestamp === undefined || !isInTime(timestamp, options)) return false
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`)
  return isStandard(secrets, joined(prefix, bytes), standard)
}

function readerOf(headers: DeliveryHeaders): (name: string) => string | undefined {
  if (headers === null || headers === undefined) return () => undefined
  if (typeof headers === 'string')
    return (name) => (name === 'x-signature-256' ? headers : undefined)
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const values = new Map(named)
  return (name) => {
    const value = values.get(name)
    return value === undefined ? undefined : String(value)
  }
}

/** Checks `sha256=` and the HMAC of the body in lower-case hexadecimal digits. */
async function isContract(
  secrets: readonly string[],
  body: Uint8Array<ArrayBuffer>,
  header: string | undefined,
): Promise<boolean> {
  const [, hex] = /^sha256=([\da-f]{64})$/.exec(header ?? '') ?? []
  if (hex === undefined) return false
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (two) => Number.parseInt(two, 16))
  const checks = secrets.map((secret) => isSigned(encoded(secret), body, signature))
  return (await Promise.all(checks)).includes(true)
}

/** Checks Standard Webhooks: `v1,` and the HMAC in Base64, several separated by spaces. */
async function isStandard(
  secrets: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
  header: string,
): Promise<boolean> {
  const signatures = header.split(' ').flatMap((one) => {
    const [, base64] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one) ?? []
    return base64 === undefined ? [] : [fromBase64(base64)]
  })
  const checks = secrets.flatMap((secret) =>
    signatures.map((signature) => isSigned(keyOf(secret), signed, signature)),
  )
  return (await Promise.all(checks)).includes(true)
}

/** Here a secret in the form `whsec_<base64>` represents its decoded bytes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret) ?? []
  return base64 === undefined ? encoded(secret) : fromBase64(base64)
}

async function isSigned(
  key: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (key.length === 0) return false // an empty secret is not a secret
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature, bytes)
}

function isInTime(timestamp: string, options: VerifyOptions): boolean {
  const { tolerance_seconds = usualTolerance, now = new Date() } = options
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  return Math.abs(now.getTime() / 1000 - seconds) <= tolerance_seconds
}

const encoded = (text: string) => new TextEncoder().encode(text)
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0))

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
