import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Starts a receiver that accepts webhook deliveries on loopback and verifies their signatures. */
export async function startReceiver(secret) {
  const received = []
  const server = createServer(async (request, response) => {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    received.push({
      ...JSON.parse(body),
      isGenuine: isGenuine(request.headers['x-signature-256'], body, secret),
    })
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => server.close()
  return { url: `http://127.0.0.1:${server.address().port}/hook`, received, stop }
}

/** Checks `X-Signature-256`, which is `sha256=` and the HMAC of the raw body. */
export function isGenuine(header, body, secret) {
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(String(header))
  return given.length === right.length && timingSafeEqual(given, right)
}
