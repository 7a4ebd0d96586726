import { connect, createServer } from 'node:net'

/**
 * Opens one address for several gateways, like a Kubernetes service: each connection goes to the next gateway that
 * accepts it, and is cut when that one ends.
 *
 * @returns `{port, close}`
 */
export async function openFront(ports, { port = 0, host = '127.0.0.1' } = {}) {
  const open = new Set()
  let turn = 0
  const serve = (client, left = ports.length) => {
    if (client.destroyed) return
    if (left === 0) return client.destroy()
    const gateway = connect(ports[turn++ % ports.length], '127.0.0.1')
    gateway.once('connect', () => join(client, gateway))
    gateway.once('error', () => serve(client, left - 1)) // removed as soon as it is connected
  }
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => undefined).on('close', () => open.delete(client))
    serve(client)
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const close = async () => {
    for (const client of open) client.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port: server.address().port, close }
}

function join(client, gateway) {
  gateway.removeAllListeners('error')
  gateway.on('error', () => client.resetAndDestroy()).on('close', () => client.destroy())
  client.on('error', () => gateway.destroy()).on('close', () => gateway.destroy())
  client.pipe(gateway)
  gateway.pipe(client)
}
