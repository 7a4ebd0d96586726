import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import type { Operations } from '@reticle/contracts/api/operation'
import { loadProtos } from '@reticle/contracts/grpc/load'
import { HealthImplementation } from 'grpc-health-check'
import type { Service } from '../../call/context.ts'
import { serverOptions } from './channel.ts'
import { idleLimitMs } from './idle.ts'
import { serveGrpc } from './server.ts'
import { serverCredentials, type Tls } from './tls.ts'

export interface ListenOptions {
  host: string
  /** Port; 0 selects a free one. */
  port: number
  /** Keys with which callers may have signed. */
  keys: readonly string[]
  /** Certificates of both sides; without them the connection is not encrypted. */
  tls?: Tls
  /** Longest pause within a stream, in milliseconds. Default: 10 minutes. */
  idleMs?: number
  /** Definitions of the services; by default everything in `proto/`. */
  protos?: PackageDefinition
}

/** Function that registers the operations of a table with guarded handlers. */
export type Serve = <T extends Operations>(table: T, service: Service<T>) => void

/** Registers services by the names of their tables. */
export function serveAll<T extends Record<string, Operations>>(
  serve: Serve,
  tables: T,
  services: { [N in keyof T]?: Service<T[N]> },
): void {
  for (const [name, table] of Object.entries(tables)) {
    const service = services[name]
    if (service) serve(table, service as Service<Operations>)
  }
}

export interface GrpcServer {
  port: number
  /**
   * Sets the status that the health protocol reports for every service, initially not serving. Reset it some time
   * before `stop`, so that callers notice.
   */
  setServing(isServing: boolean): void
  /** Accepts no new calls, waits up to 20 s for running ones, and then ends the rest. */
  stop(): Promise<void>
}

const finishMs = 20_000

/**
 * Serves services to other processes, together with the health protocol. `register` must add all of them before the
 * port opens, because a call before that would fail as an unknown method.
 */
export async function listenGrpc(
  options: ListenOptions,
  register: (serve: Serve) => void,
): Promise<GrpcServer> {
  const { host, port, keys, tls } = options
  const { idleMs = idleLimitMs, protos = loadProtos() } = options
  const server = new Server(serverOptions)
  const names = [''] // the empty name represents the whole process
  register((table, service) => {
    serveGrpc({ server, protos, keys, idleMs }, table, service)
    names.push(...namesOf(table))
  })
  const health = new HealthImplementation()
  const setServing = (isServing: boolean) => {
    for (const name of names) health.setStatus(name, isServing ? 'SERVING' : 'NOT_SERVING')
  }
  setServing(false)
  health.addToServer(server)
  const bound = await bind(server, `${host}:${port}`, tls)
  const stop = () => {
    setServing(false)
    return shutDown(server)
  }
  return { port: bound, setServing, stop }
}

/** Returns the full names of the services of a table. */
function namesOf(table: Operations): string[] {
  return [...new Set(Object.values(table).map(({ service }) => `reticle.v1.${service}`))]
}

function bind(server: Server, address: string, tls: Tls | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, serverCredentials(tls), (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })
}

/** Stops the server with a time limit, because an open stream would delay a graceful shutdown forever. */
async function shutDown(server: Server): Promise<void> {
  const over = new AbortController()
  const finished = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  const late = sleep(finishMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([finished, late])
  over.abort()
  server.forceShutdown()
}
