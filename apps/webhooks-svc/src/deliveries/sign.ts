import { createHmac } from 'node:crypto'

/** Fields of a message that are sent as headers. */
export interface Envelope {
  webhook_id: number
  /** Id of the delivery, the same for every attempt. */
  delivery_id: string
  event: string
  sequence: number
}

/**
 * Builds the headers of an attempt: `X-Signature-256`, the `X-Webhook-*` headers that let a receiver route and reject
 * replays without parsing the body, and the headers of Standard Webhooks (docs/spec/webhooks.md#delivery). The
 * signatures cover exactly the bytes of `body`.
 *
 * @param secrets the current secret, then older ones that are still valid; empty: no signatures. `X-Signature-256`
 * uses the current one only.
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

/**
 * Signs as Standard Webhooks requires: a secret of the form `whsec_<base64>` is decoded, any other one is used as
 * UTF-8 bytes.
 */
function standardSignature(secret: string, prefix: string, body: Uint8Array): string {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)?.[1]
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64')
  return hmac(key, Buffer.concat([Buffer.from(prefix), body])).toString('base64')
}

function hmac(key: string | Buffer, bytes: Uint8Array): Buffer {
  return createHmac('sha256', key).update(bytes).digest()
}
