import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below every system's range of ports for outgoing connections (Linux begins at 32768): a client that tries again and
 * again to reach a stopped server on a port of that range can end up connected to itself, and keep the port from the
 * server for good.
 */
const range = [20_000, 32_000]

/** A loopback port that nobody listens on at this moment; who takes it must be ready to try another. */
export async function freePort() {
  for (;;) {
    const port = randomInt(...range)
    if (await isFree(port)) return port
  }
}

/** `count` different ones. */
export async function freePorts(count) {
  const ports = new Set()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
