import type { PackageDefinition } from '@grpc/proto-loader'
import type { Operations } from '@reticle/contracts/api/operation'
import { loadProtos } from '@reticle/contracts/grpc/load'
import { afterAll } from 'vitest'
import type { Service, UntypedCall } from '../call/context.ts'
import { connectGrpc } from '../rpc/grpc/connect.ts'
import { listenGrpc } from '../rpc/grpc/listen.ts'
import { guardHandlers, mapValues } from '../rpc/guard.ts'
import type { OnBug } from '../rpc/observe-calls.ts'
import { openProxy } from './proxy.ts'

/** Both transports of a service: `describe.each(transports)('over %s', (transport) => ...)`. */
export const transports = ['in-process', 'grpc'] as const
export type Transport = (typeof transports)[number]

export interface TransportOptions {
  /** Definitions of the services; by default everything in `proto/`. */
  protos?: PackageDefinition
  /** Keys with which the caller signs; by default those of the server. */
  keys?: readonly string[]
  /** Receives errors other than `DomainError`; by default such a bug fails the test file. */
  onBug?: OnBug
}

const serverKeys = ['internal key of the tests']

/**
 * Returns the caller side of handlers, through `guardHandlers` alone or through gRPC on a loopback port. Call it while tests
 * are collected (top level, or in `describe`): the server starts with the first call and closes itself.
 */
export function overTransport<T extends Operations>(
  kind: Transport,
  table: T,
  handlers: Service<T>,
  options: TransportOptions = {},
): Service<T> {
  const service = guardHandlers(handlers, options.onBug ?? failingOnBugs())
  return kind === 'grpc' ? overGrpc(table, service, options) : service
}

function failingOnBugs(): OnBug {
  const bugs: unknown[] = []
  afterAll(() => {
    if (bugs.length > 0) throw new AggregateError(bugs, 'handlers threw what is no DomainError')
  })
  return (thrown) => {
    bugs.push(thrown)
  }
}

function overGrpc<T extends Operations>(
  table: T,
  service: Service<T>,
  { protos = loadProtos(), keys = serverKeys }: TransportOptions,
): Service<T> {
  let connection: ReturnType<typeof connect> | undefined
  const connected = () => {
    connection ??= connect(table, service, { protos, keys })
    return connection
  }
  afterAll(async () => (await connection)?.close())
  return mapValues(service as Record<string, UntypedCall>, (_, name): UntypedCall => {
    return async (input, context) => {
      const { calls } = await connected()
      return calls[name]?.(input, context)
    }
  }) as Service<T>
}

async function connect<T extends Operations>(
  table: T,
  service: Service<T>,
  { protos, keys }: Required<Pick<TransportOptions, 'protos' | 'keys'>>,
) {
  const server = await listen(table, service, protos)
  const connection = connectGrpc({ address: `${host}:${server.port}`, keys, protos })
  const calls = connection.service(table) as Record<string, UntypedCall>
  const close = async () => {
    connection.close()
    await server.stop()
  }
  return { calls, close }
}

const host = '127.0.0.1'

function listen<T extends Operations>(table: T, service: Service<T>, protos: PackageDefinition) {
  const options = { host, port: 0, keys: serverKeys, protos }
  return listenGrpc(options, (serve) => serve(table, service))
}

/**
 * Returns the caller side over a network that loses the first response to every change: the connection is cut when the
 * handler has finished, and the caller retries. Await it at top level, or in an async `describe`.
 */
export async function losingAnswers<T extends Operations>(
  table: T,
  handlers: Service<T>,
  { protos = loadProtos(), onBug = failingOnBugs() }: Omit<TransportOptions, 'keys'> = {},
): Promise<Service<T>> {
  const lost = new Set<string>()
  const service = mapValues(
    guardHandlers(handlers, onBug) as Record<string, UntypedCall>,
    (call): UntypedCall => {
      return async (input, context) => {
        const answer = await call(input, context)
        const { next_call_id } = context
        if (next_call_id && !lost.has(next_call_id)) {
          lost.add(next_call_id)
          proxy.cut()
          proxy.heal()
        }
        return answer
      }
    },
  ) as Service<T>
  const server = await listen(table, service, protos)
  const proxy = await openProxy({ host, port: server.port })
  const connection = connectGrpc({ address: `${host}:${proxy.port}`, keys: serverKeys, protos })
  afterAll(async () => {
    connection.close()
    await proxy.close()
    await server.stop()
  })
  return connection.service(table)
}
