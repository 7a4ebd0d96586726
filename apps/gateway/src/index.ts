import type { AddressInfo } from 'node:net'
import { unavailable } from '@reticle/kit'
import { listeningOrigin } from '@reticle/kit/net/links'
import { buildGateway } from './app.ts'
import { toListenError } from './listen-failure.ts'
import { toPublicError } from './plugins/errors.ts'
import { drainMs, OpenCalls } from './plugins/open-calls.ts'
import type { GatewayPorts, ProcessPhase } from './ports.ts'

export { assertStoreReachable, createProcessChecks, scaledImagePrefix } from './checks.ts'
export { processParts, readConfig } from './config.ts'
export { toListenError } from './listen-failure.ts'
export type { GatewayPorts, GatewayServices, HealthChecks } from './ports.ts'
export { routeKeysByOwner } from './repeats/owners.ts'

export interface Gateway {
  /** Address on which the server listens, such as `http://127.0.0.1:8080`. */
  url: string
  port: number
  /**
   * Marks the gateway as not ready: every further response closes its connection, so that clients go elsewhere before
   * `stop`.
   */
  leave(): void
  /** Refuses new requests, waits at most 20 s for running ones, then closes. */
  stop(): Promise<void>
}

const stopping = unavailable('The server is stopping.', 5)

/**
 * Starts the public HTTP server; it accepts requests when the promise resolves.
 * @throws Error with one sentence for the terminal
 */
export async function startGateway(ports: GatewayPorts): Promise<Gateway> {
  const { host, port: requestedPort, stopWithinMs } = ports.settings
  const phase: ProcessPhase = { now: 'starting' }
  const calls = new OpenCalls()
  const app = await buildGateway(ports, phase, calls)
  await app.listen({ host, port: requestedPort }).catch((cause: unknown) => {
    throw toListenError(cause, host, requestedPort)
  })
  const port = portOf(app.server.address())
  phase.now = 'ready'

  const leave = () => {
    phase.now = 'leaving'
  }
  const stop = async () => {
    phase.now = 'stopping'
    const end = setTimeout(() => calls.endAll(toPublicError(stopping)), stopWithinMs)
    const cut = setTimeout(() => app.server.closeAllConnections(), stopWithinMs + drainMs)
    await app.close()
    clearTimeout(end)
    clearTimeout(cut)
  }
  return { url: listeningOrigin(host, port), port, leave, stop }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the gateway does not listen on a port')
}
