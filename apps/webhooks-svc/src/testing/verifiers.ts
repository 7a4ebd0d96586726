import { verify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'

/** A delivery as a receiver has it in hand: the bytes as they came. */
export interface Delivered {
  body: Buffer
  headers: Record<string, string>
}

/** Whether the receiver takes a delivery for one of ours. */
export type Verifier = (secret: string, delivered: Delivered) => Promise<boolean>

/** As the libraries want it: a secret in the form of the standard as it is, the bytes of any other in base64. */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? secret : Buffer.from(secret).toString('base64')

async function accepts(run: () => unknown): Promise<boolean> {
  try {
    await run()
    return true
  } catch {
    return false
  }
}

/** Stock verifiers, called as their documentation says (T-WH-8 of `reliability.md` 7.3). */
export const verifiers: Record<string, Verifier> = {
  '@octokit/webhooks-methods': (secret, { body, headers }) =>
    verify(secret, body.toString(), headers['x-signature-256'] ?? 'none'),
  standardwebhooks: (secret, { body, headers }) =>
    accepts(() => new StandardWebhook(keyOf(secret)).verify(body, headers)),
  svix: (secret, { body, headers }) =>
    accepts(() => new SvixWebhook(keyOf(secret)).verify(body, headers)),
}

/** `X-Signature-256` is over the body alone: the time is the business of the standard's headers. */
export const signsTime = (name: string): boolean => name !== '@octokit/webhooks-methods'
