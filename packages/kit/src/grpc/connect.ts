import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import type { Operations } from '@reticle/contracts/api/operation'
import { loadProtos } from '@reticle/contracts/grpc/load'
import { unavailable } from '../errors.ts'
import type { Service } from '../rpc/context.ts'
import { mapValues } from '../rpc/guard.ts'
import { messageOptions, streamOptions } from './channel.ts'
import { grpcService } from './client.ts'
import { isServing } from './health.ts'
import { idleLimitMs } from './idle.ts'
import { clientCredentials, type Tls } from './tls.ts'

export interface ConnectOptions {
  /** `dns:///name:50051`, `ipv4:127.0.0.1:1,127.0.0.1:2` or `host:port`. */
  address: string
  /** Keys that sign who is calling, newest first. */
  keys: readonly string[]
  /** Both sides show a certificate; without it the connection is plain. */
  tls?: Tls
  /** Longest pause within a stream, in milliseconds. Default: 10 min. */
  idleMs?: number
  /** Default: everything in `proto/`. */
  protos?: PackageDefinition
}

const checkMs = 2000
const checkRestMs = 50

/** All replicas of another process; a call goes to the next one of those that answer. */
export interface Connection {
  /** The services that process answers, as if they were here. */
  service<T extends Operations>(table: T): Service<T>
  /** Several at once, by the names of their tables. */
  services<T extends Record<string, Operations>>(tables: T): { [N in keyof T]: Service<T[N]> }
  /** @throws DomainError unavailable, unless a replica says within 2 s that it serves */
  check(): Promise<void>
  close(): void
}

/**
 * Reaches the services of another process (`reliability.md` 14). Connects with the first call, and again by itself. Short
 * calls and streams have a connection each, so that neither waits behind the other.
 */
export function connectGrpc(options: ConnectOptions): Connection {
  const { address, keys, tls, idleMs = idleLimitMs, protos = loadProtos() } = options
  const credentials = clientCredentials(tls)
  const messages = new Client(address, credentials, messageOptions)
  const streams = new Client(address, credentials, streamOptions)
  const way = { protos, messages, streams, keys, idleMs }
  return {
    service: (table) => grpcService(way, table),
    services: <T extends Record<string, Operations>>(tables: T) =>
      mapValues(tables, (table) => grpcService(way, table)) as {
        [N in keyof T]: Service<T[N]>
      },
    check: () => someServes(messages),
    close: () => {
      messages.close()
      streams.close()
    },
  }
}

/** Replicas take turns: one that is leaving, or lost its database, does not speak for the others. */
async function someServes(messages: Client): Promise<void> {
  for (const deadline = Date.now() + checkMs; Date.now() < deadline; await sleep(checkRestMs)) {
    if (await isServing(messages, deadline)) return
  }
  throw unavailable('A part of the service did not answer.')
}
