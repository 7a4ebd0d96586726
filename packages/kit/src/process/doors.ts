import type { BlobStore } from '../blob/blob.ts'
import { s3Blobs } from '../blob/s3.ts'
import { type Connection, connectGrpc } from '../grpc/connect.ts'
import { listenGrpc, type Serve } from '../grpc/listen.ts'
import { eventually } from './eventually.ts'
import type { Parts } from './parts.ts'
import type { App } from './program.ts'
import type { InternalSettings, S3Settings } from './settings.ts'

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

/** Objects in S3. One that refuses us is waited for; one that is away is met by the calls, which are 503 until it is back. */
export function openObjects(
  app: Pick<App<Parts>, 'log' | 'signal'>,
  s3: S3Settings,
): Promise<BlobStore> {
  const onError = (err: unknown) => app.log.warn({ err }, 'the object store failed')
  return eventually(app, 'the object store', () => s3Blobs({ ...s3, onError }))
}
