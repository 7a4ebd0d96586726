import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'

/** A proxy on loopback that opens connections by CONNECT, and refuses as smokescreen does. */
export interface ConnectProxy {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** What was asked for, `host:port` each, and by which credentials. */
  asked: { target: string; credentials: string | undefined }[]
  /** Every byte that clients sent through it. */
  carried: () => string
  /** From now on answers every CONNECT so, and opens nothing; 200: opens again. */
  answer: (status: number) => void
  close: () => Promise<void>
}

/** Every name leads to this machine, at the port that was asked for. */
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
