import type { AddressInfo } from 'node:net'
import type { KeyOwner } from '@reticle/contracts/api/keys'
import { unavailable } from '@reticle/kit'
import { listeningOrigin } from '@reticle/kit/net/links'
import { buildGateway } from './app.ts'
import { drainMs, OpenCalls } from './plugins/connections/open-calls.ts'
import { toPublicError } from './plugins/errors.ts'
import type { GatewayPorts, GatewayServices, ProcessPhase } from './ports.ts'

export { assertStoreReachable, createProcessChecks, scaledImagePrefix } from './checks.ts'
export { processParts, readConfig } from './config.ts'
export type { GatewayPorts, GatewayServices, HealthChecks } from './ports.ts'

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

/**
 * Returns the error for an address on which the server cannot listen: one sentence for the terminal that names the
 * remedy.
 */
export function toListenError(cause: unknown, host: string, port: number): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const sentence = sentences[code]?.(host, port)
  return sentence === undefined && cause instanceof Error ? cause : new Error(sentence, { cause })
}

const noSuchHost = (host: string) =>
  `${host} is no address of this machine: set RETICLE_HOST to one, such as 127.0.0.1, or 0.0.0.0 for all.`

const sentences: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use: stop the program that listens there, or choose another port with RETICLE_PORT (0 picks a free one).`,
  EACCES: (_, port) =>
    `This account may not listen on port ${port}: choose one above 1023 with RETICLE_PORT.`,
  EADDRNOTAVAIL: noSuchHost,
  ENOTFOUND: noSuchHost,
}

type Keys = GatewayServices['keys']

/** Combines the key tables of all services; each call is routed to the owner that it names. */
export function routeKeysByOwner(owners: Record<KeyOwner, Keys>): Keys {
  return {
    claimKey: (input, context) => owners[input.owner].claimKey(input, context),
    settleKey: (input, context) => owners[input.owner].settleKey(input, context),
  }
}
