import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Received request with its unmodified body. */
export interface Received {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  arrived_date: Date
}

export interface Reply {
  /** Status, 200 by default; `reset` resets the connection, `hang` never responds. */
  status?: number | 'reset' | 'hang'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Milliseconds before the response. */
  delay_ms?: number
}

/** Function that chooses the reply to a request, possibly asynchronously. */
type Decide = (received: Received, nth: number) => Reply | Promise<Reply>

export interface TestReceiver {
  /** Address `http://127.0.0.1:<port>`. */
  url: string
  received: Received[]
  /** Sets the reply to further requests, either fixed or chosen for each. */
  answer: (reply: Reply | Decide) => void
  close: () => Promise<void>
}

/** Starts a loopback HTTP server that records its requests and responds as configured, with 200 by default. */
export async function startReceiver(): Promise<TestReceiver> {
  const received: Received[] = []
  let decide: Decide = () => ({})
  const server = createServer((request, response) => {
    const serve = async () => {
      const given = await read(request)
      received.push(given)
      await send(response, await decide(given, received.length))
    }
    serve().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (reply) => {
      decide = typeof reply === 'function' ? reply : () => reply
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: Buffer.concat(parts), arrived_date: new Date() }
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.delay_ms) await sleep(reply.delay_ms, undefined, { ref: false })
  const { status = 200, headers, body } = reply
  if (status === 'hang') return
  if (status === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  response.writeHead(status, headers).end(body)
}
