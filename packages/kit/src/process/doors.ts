import { type Connection, connectGrpc } from '../grpc/connect.ts'
import { listenGrpc, type Serve } from '../grpc/listen.ts'
import type { Parts } from './parts.ts'
import type { App } from './program.ts'
import type { InternalSettings } from './settings.ts'

type Around = Pick<App<Parts>, 'log' | 'settings' | 'onStop' | 'onLeave'>

/** Answers gRPC for the tables that `register` names, until the process leaves. */
export async function openDoor(
  { log, settings, onStop, onLeave }: Around,
  { port, keys, tls }: InternalSettings,
  register: (serve: Serve) => void,
): Promise<void> {
  const options = { host: settings.host, port, keys, tls }
  const door = await listenGrpc(options, register)
  onStop('gRPC server', door.stop)
  door.setServing(true)
  onLeave(() => door.setServing(false))
  log.info({ grpc_port: door.port }, 'gRPC answers')
}

/** A way to another service, closed when everything stops. */
export function reach(
  { onStop }: Pick<Around, 'onStop'>,
  { keys, tls }: Pick<InternalSettings, 'keys' | 'tls'>,
  address: string,
): Connection {
  const connection = connectGrpc({ address, keys, tls })
  onStop(`way to ${address}`, connection.close)
  return connection
}
