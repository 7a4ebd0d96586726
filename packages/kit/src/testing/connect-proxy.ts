import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Proxy on loopback that opens connections by CONNECT, and rejects like smokescreen. */
export interface ConnectProxy {
  /** Address `http://127.0.0.1:<port>`. */
  url: string
  /** Requested targets as `host:port`, with the credentials of each request. */
  asked: { target: string; credentials: string | undefined }[]
  /** Returns all bytes that clients sent through the proxy. */
  carried: () => string
  /** Sets the status of further CONNECT requests, for which no connection is opened; 200 opens connections again. */
  answer: (status: number) => void
  close: () => Promise<void>
}

/** Starts the proxy. It connects every name to this machine, at the requested port. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = []
  const sockets = new Set<Socket>()
  let carried = ''
  let status = 200
  const server = createServer()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const { url: target = '', headers } = request
    asked.push({ target, credentials: headers['proxy-authorization'] })
    client.on('error', () => undefined)
    if (status !== 200) {
      const reason = 'X-Smokescreen-Error: denied by rule "Deny: Private Range"'
      return void client.end(`HTTP/1.1 ${status} No\r\n${reason}\r\nContent-Length: 0\r\n\r\n`)
    }
    const far = connect(Number(target.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.on('data', (bytes) => (carried += bytes.toString('latin1')))
      client.pipe(far).pipe(client)
    })
    far.on('error', () => client.destroy())
    client.on('close', () => far.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    asked,
    carried: () => carried,
    answer: (given) => {
      status = given
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
