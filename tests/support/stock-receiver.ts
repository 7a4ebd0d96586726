import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWithFallback } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import type { AnyJson } from './client.ts'

/** A delivery as it arrived: the bytes of its body, and its headers as text. */
interface Delivered {
  body: Buffer
  headers: Record<string, string>
}

type Check = (delivered: Delivered, secrets: readonly string[]) => Promise<boolean>

/** Signature checks as documented by each library. After a rotation the first two accept any known secret. */
const checks = {
  '@octokit/webhooks-methods': async ({ body, headers }, [secret = '', ...others]) =>
    verifyWithFallback(secret, body.toString(), headers['x-signature-256'] ?? 'none', others),
  standardwebhooks: async (delivered, secrets) =>
    secrets.some((secret) => verifies(new StandardWebhook(keyOf(secret)), delivered)),
  svix: async (delivered, secrets) =>
    secrets.some((secret) => verifies(new SvixWebhook(keyOf(secret)), delivered)),
} satisfies Record<string, Check>

export type Library = keyof typeof checks
export const libraries: Library[] = ['@octokit/webhooks-methods', 'standardwebhooks', 'svix']

/** The libraries expect the secret in base64. */
const keyOf = (secret: string) => Buffer.from(secret).toString('base64')

function verifies(library: StandardWebhook | SvixWebhook, { body, headers }: Delivered): boolean {
  try {
    library.verify(body, headers)
    return true
  } catch {
    return false
  }
}

export interface StockReceiver {
  library: Library
  url: string
  /** Accepted secrets, the newest first. */
  secrets: string[]
  /** Deliveries with a valid signature, answered by 204. */
  accepted: { delivered: Delivered; payload: AnyJson }[]
  /** Number of deliveries without a valid signature, answered by 401. */
  refused: () => number
  close: () => Promise<void>
}

/** Starts a receiver that verifies deliveries with a stock library. See docs/spec/webhooks.md#delivery. */
export async function startStockReceiver(
  library: Library,
  secrets: string[],
): Promise<StockReceiver> {
  const accepted: StockReceiver['accepted'] = []
  let refused = 0
  const isOurs = async (request: IncomingMessage) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const delivered = { body: await buffer(request), headers: Object.fromEntries(headers) }
    if (!(await checks[library](delivered, secrets))) return false
    accepted.push({ delivered, payload: JSON.parse(delivered.body.toString()) })
    return true
  }
  const server = createServer((request, response) => {
    void isOurs(request).then((isGenuine) => {
      if (!isGenuine) refused++
      response.writeHead(isGenuine ? 204 : 401).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { library, url, secrets, accepted, refused: () => refused, close }
}
