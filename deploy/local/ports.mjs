import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the range of ports for outgoing connections (Linux begins at 32768): a client that repeatedly connects to a
 * stopped server on a port of that range can connect to itself, and block the port permanently.
 */
const range = [20_000, 32_000]

/** Returns a loopback port that is free at this moment; the caller must be ready to try another. */
export async function freePort() {
  for (;;) {
    const port = randomInt(...range)
    if (await isFree(port)) return port
  }
}

/** Returns `count` different free ports. */
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
