import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Metadata, type ServiceError } from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import type { Operations } from '@reticle/contracts/api/operation'
import { loadProtos } from '@reticle/contracts/grpc/load'
import { service as health } from 'grpc-health-check'
import type { Service } from '../../call/context.ts'
import { unavailable } from '../../call/errors.ts'
import { mapValues } from '../guard.ts'
import { messageOptions, streamOptions } from './channel.ts'
import { grpcService } from './client.ts'
import { idleLimitMs } from './idle.ts'
import { clientCredentials, type Tls } from './tls.ts'

export interface ConnectOptions {
  /** Address `dns:///name:50051`, `ipv4:127.0.0.1:1,127.0.0.1:2` or `host:port`. */
  address: string
  /** Keys that sign the caller, newest first. */
  keys: readonly string[]
  /** Certificates of both sides; without them the connection is not encrypted. */
  tls?: Tls
  /** Longest pause within a stream, in milliseconds. Default: 10 minutes. */
  idleMs?: number
  /** Definitions of the services; by default everything in `proto/`. */
  protos?: PackageDefinition
}

const checkMs = 2000
const checkRestMs = 50

/** Connection to all replicas of another process. Calls are distributed over the available ones in turn. */
export interface GrpcConnection {
  /** Returns a service of the other process with the same interface as a local one. */
  service<T extends Operations>(table: T): Service<T>
  /** Returns several services, by the names of their tables. */
  services<T extends Record<string, Operations>>(tables: T): { [N in keyof T]: Service<T[N]> }
  /**
   * Checks that a replica reports within 2 s that it serves.
   * @throws DomainError `unavailable` otherwise
   */
  check(): Promise<void>
  close(): void
}

/**
 * Connects to the services of another process, with the first call, and reconnects automatically. Short calls and
 * streams use separate connections, so that neither delays the other.
 */
export function connectGrpc(options: ConnectOptions): GrpcConnection {
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

/** Checks the replicas in turn: one that is stopping or lost its database does not decide for the others. */
async function someServes(messages: Client): Promise<void> {
  for (const deadline = Date.now() + checkMs; Date.now() < deadline; await sleep(checkRestMs)) {
    if (await isServing(messages, deadline)) return
  }
  throw unavailable('A part of the service did not answer.')
}

/** Returns whether the process responds before `deadline`, in epoch milliseconds, and reports that it serves. */
function isServing(client: Client, deadline: number): Promise<boolean> {
  const { Check } = health
  if (!Check) throw new Error('grpc-health-check has no Check')
  const status = (bytes: Buffer): unknown => Object(Check.responseDeserialize(bytes)).status
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      Check.path,
      Check.requestSerialize,
      status,
      { service: '' },
      new Metadata({ waitForReady: true }),
      { deadline },
      (error: ServiceError | null, response?: unknown) => resolve(!error && response === 'SERVING'),
    )
  })
}
