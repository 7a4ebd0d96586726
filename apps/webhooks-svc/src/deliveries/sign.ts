import { createHmac } from 'node:crypto'

/** What a receiver is told about a message, apart from its body. */
export interface Envelope {
  webhook_id: number
  /** The same for every attempt. */
  delivery_id: string
  event: string
  sequence: number
}

/**
 * Headers of an attempt: `X-Signature-256` of the contract, those that route and check replays without parsing, and the
 * ones of Standard Webhooks (`spec/api-annotations.md` 4.5). Signed are exactly the bytes of `body`.
 *
 * @param secrets the present one and those before it that still count; none: no signatures. The header of the contract has room for the
 * present one only.
 */
export function headersOf(
  { webhook_id, delivery_id, event, sequence }: Envelope,
  body: Uint8Array,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const [secret] = secrets
  const signatures = secrets.map(
    (one) => `v1,${standardSignature(one, `${delivery_id}.${timestamp}.`, body)}`,
  )
  return {
    'content-type': 'application/json',
    'x-webhook-id': String(webhook_id),
    'x-webhook-event': event,
    'x-webhook-delivery': delivery_id,
    'x-webhook-timestamp': timestamp,
    'x-webhook-sequence': String(sequence),
    'webhook-id': delivery_id,
    'webhook-timestamp': timestamp,
    ...(secret !== undefined && {
      'x-signature-256': `sha256=${hmac(secret, body).toString('hex')}`,
      'webhook-signature': signatures.join(' '),
    }),
  }
}

/** A secret in the form `whsec_<base64>` is its decoded bytes, as the standard says; any other its own UTF-8. */
function standardSignature(secret: string, prefix: string, body: Uint8Array): string {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)?.[1]
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64')
  return hmac(key, Buffer.concat([Buffer.from(prefix), body])).toString('base64')
}

function hmac(key: string | Buffer, bytes: Uint8Array): Buffer {
  return createHmac('sha256', key).update(bytes).digest()
}
