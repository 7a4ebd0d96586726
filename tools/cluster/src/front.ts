import { connect, createServer, type Socket } from 'node:net'

export interface Front {
  port: number
  close: () => Promise<void>
}

/**
 * Opens one address for several gateways, like a Kubernetes service: each connection goes to the next gateway that
 * accepts it, and is cut when that one ends.
 */
export async function openFront(
  ports: readonly number[],
  { port = 0, host = '127.0.0.1' } = {},
): Promise<Front> {
  const open = new Set<Socket>()
  let turn = 0
  const serve = (client: Socket, left = ports.length): void => {
    if (client.destroyed) return
    const next = ports[turn++ % ports.length]
    if (left === 0 || next === undefined) return void client.destroy()
    const gateway = connect(next, '127.0.0.1')
    gateway.once('connect', () => join(client, gateway))
    gateway.once('error', () => serve(client, left - 1)) // removed as soon as it is connected
  }
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => undefined).on('close', () => open.delete(client))
    serve(client)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const close = async () => {
    for (const client of open) client.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, close }
}

function join(client: Socket, gateway: Socket): void {
  gateway.removeAllListeners('error')
  gateway.on('error', () => client.resetAndDestroy()).on('close', () => client.destroy())
  client.on('error', () => gateway.destroy()).on('close', () => gateway.destroy())
  client.pipe(gateway)
  gateway.pipe(client)
}
