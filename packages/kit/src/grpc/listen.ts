import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import type { Operations } from '@reticle/contracts/api/operation'
import { loadProtos } from '@reticle/contracts/grpc/load'
import { HealthImplementation } from 'grpc-health-check'
import type { Service } from '../rpc/context.ts'
import { serverOptions } from './channel.ts'
import { idleLimitMs } from './idle.ts'
import { serveGrpc } from './server.ts'
import { serverCredentials, type Tls } from './tls.ts'

export interface ListenOptions {
  host: string
  /** 0 picks a free one. */
  port: number
  /** Keys that callers may have signed with. */
  keys: readonly string[]
  /** Both sides show a certificate; without it the connection is plain. */
  tls?: Tls
  /** Longest pause within a stream, in milliseconds. Default: 10 min. */
  idleMs?: number
  /** Default: everything in `proto/`. */
  protos?: PackageDefinition
}

/** Adds the operations of a table, answered by handlers in their `guard`. */
export type Serve = <T extends Operations>(table: T, service: Service<T>) => void

/** Adds what a process answers: services by the names of their tables. */
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
  /** What the health protocol says of every service here, at first "no". Say "no" a while before `stop`: callers hear it. */
  setServing(isServing: boolean): void
  /** Takes nothing new, finishes what runs for 20 s at most, and ends the rest. */
  stop(): Promise<void>
}

const finishMs = 20_000

/**
 * Answers services to other processes, with the health protocol beside them (`reliability.md` 14). `register` names them
 * all before the port opens: a call that arrived earlier would be told that its method does not exist.
 */
export async function listenGrpc(
  options: ListenOptions,
  register: (serve: Serve) => void,
): Promise<GrpcServer> {
  const { host, port, keys, tls } = options
  const { idleMs = idleLimitMs, protos = loadProtos() } = options
  const server = new Server(serverOptions)
  const names = [''] // the empty one stands for the whole process
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

/** The full names of the services that a table stands for. */
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

/** An open stream would keep the polite way waiting for ever. */
async function shutDown(server: Server): Promise<void> {
  const over = new AbortController()
  const finished = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  const late = sleep(finishMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([finished, late])
  over.abort()
  server.forceShutdown()
}
