import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** @typedef {import('./client.mjs').Json & {isGenuine: boolean}} ReceivedDelivery */

/**
 * Starts a receiver that accepts webhook deliveries on loopback and verifies their signatures.
 * @param {string} secret
 */
export async function startReceiver(secret) {
  /** @type {ReceivedDelivery[]} */
  const received = []
  const server = createServer(async (request, response) => {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    received.push({
      ...JSON.parse(body.toString()),
      isGenuine: isGenuine(request.headers['x-signature-256'], body, secret),
    })
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => server.close()
  return { url: `http://127.0.0.1:${portOf(server)}/hook`, received, stop }
}

/**
 * Returns the port on which a server listens.
 * @param {import('node:http').Server} server
 */
export function portOf(server) {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

/**
 * Checks `X-Signature-256`, which is `sha256=` and the HMAC of the raw body.
 * @param {string | string[] | undefined} header
 * @param {Buffer} body
 * @param {string} secret
 */
export function isGenuine(header, body, secret) {
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(String(header))
  return given.length === right.length && timingSafeEqual(given, right)
}
