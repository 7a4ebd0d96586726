import { tables } from '@reticle/contracts'
import type { GatewayServices } from '@reticle/gateway'
import type { OnStop } from '@reticle/kit/process/lifecycle'
import { connectGrpc } from '@reticle/kit/rpc/grpc/connect'
import { listenGrpc, serveAll } from '@reticle/kit/rpc/grpc/listen'

/** Connects to the services through gRPC on a loopback port: for measurements, and for tests of that transport. */
export async function overGrpc(
  services: GatewayServices,
  internalKey: string,
  onStop: OnStop,
): Promise<GatewayServices> {
  const keys = [internalKey]
  const host = '127.0.0.1'
  const options = { host, port: 0, keys }
  const server = await listenGrpc(options, (serve) => serveAll(serve, tables, services))
  server.setServing(true)
  onStop('gRPC server', server.stop)
  const connection = connectGrpc({ address: `${host}:${server.port}`, keys })
  onStop('gRPC client', connection.close)
  return connection.services(tables)
}
