import { verify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'

/** A delivery as a receiver gets it, with the raw bytes of the body. */
export interface Delivered {
  body: Buffer
  headers: Record<string, string>
}

/** Returns whether the signature of a delivery is valid. */
export type Verifier = (secret: string, delivered: Delivered) => Promise<boolean>

/** Both libraries expect `whsec_` secrets unchanged, and any other secret in base64. */
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

/** Verifiers of public libraries, called as their documentation describes (T-WH-8). */
export const verifiers: Record<string, Verifier> = {
  '@octokit/webhooks-methods': (secret, { body, headers }) =>
    verify(secret, body.toString(), headers['x-signature-256'] ?? 'none'),
  standardwebhooks: (secret, { body, headers }) =>
    accepts(() => new StandardWebhook(keyOf(secret)).verify(body, headers)),
  svix: (secret, { body, headers }) =>
    accepts(() => new SvixWebhook(keyOf(secret)).verify(body, headers)),
}

/** Returns whether the verifier checks the timestamp. `X-Signature-256` covers only the body. */
export const signsTime = (name: string): boolean => name !== '@octokit/webhooks-methods'
