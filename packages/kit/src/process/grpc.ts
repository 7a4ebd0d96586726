import { setTimeout as sleep } from 'node:timers/promises'
import { connectGrpc, type GrpcConnection } from '../rpc/grpc/connect.ts'
import { type GrpcServer, listenGrpc, type Serve } from '../rpc/grpc/listen.ts'
import type { SettingsParts } from '../settings/parts.ts'
import type { App } from './program.ts'
import type { InternalSettings } from './settings.ts'

type Around = Pick<App<SettingsParts>, 'log' | 'settings' | 'onStop' | 'onLeave' | 'probes'>

const reviewMs = 2000

/**
 * Serves the tables that `register` adds over gRPC, until the process stops. Its health is "not serving" while a need
 * of the process, such as its database, is not met.
 */
export async function openGrpcServer(
  { log, settings, onStop, onLeave, probes }: Around,
  { port, keys, tls }: InternalSettings,
  register: (serve: Serve) => void,
): Promise<void> {
  const options = { host: settings.host, port, keys, tls }
  const door = await listenGrpc(options, register)
  const leaving = new AbortController()
  const leave = () => {
    leaving.abort()
    door.setServing(false)
  }
  onStop('gRPC server', () => {
    leave()
    return door.stop()
  })
  onLeave(leave)
  door.setServing(true)
  void follow(door, probes, leaving.signal)
  log.info({ grpc_port: door.port }, 'gRPC answers')
}

async function follow(
  door: GrpcServer,
  probes: Around['probes'],
  leaving: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(reviewMs, undefined, { signal: leaving, ref: false }).catch(() => undefined)
    const unmet = await probes.unmet()
    if (leaving.aborted) return
    door.setServing(unmet.length === 0)
  }
}

/** Opens a connection to another service, which closes when the process stops. */
export function openConnection(
  { onStop }: Pick<Around, 'onStop'>,
  { keys, tls }: Pick<InternalSettings, 'keys' | 'tls'>,
  address: string,
): GrpcConnection {
  const connection = connectGrpc({ address, keys, tls })
  onStop(`way to ${address}`, connection.close)
  return connection
}
