import * as grpc from '@grpc/grpc-js'
import { tables } from '@reticle/contracts'
import { loadProtos } from '@reticle/contracts/grpc/load'
import type { Services } from '@reticle/gateway'
import { grpcService } from '@reticle/kit/grpc/client'
import { serveGrpc } from '@reticle/kit/grpc/server'
import type { OnStop } from '@reticle/kit/lifecycle'

/** The same services, reached through gRPC on a loopback port: for measuring, and for stories over that transport. */
export async function overGrpc(
  services: Services,
  internalKey: string,
  onStop: OnStop,
): Promise<Services> {
  const keys = [internalKey]
  const protos = loadProtos()
  const server = new grpc.Server()
  serveGrpc(server, protos, tables.server, services.server, keys)
  serveGrpc(server, protos, tables.identity, services.identity, keys)
  serveGrpc(server, protos, tables.projects, services.projects, keys)
  serveGrpc(server, protos, tables.labels, services.labels, keys)
  serveGrpc(server, protos, tables.tasks, services.tasks, keys)
  serveGrpc(server, protos, tables.jobs, services.jobs, keys)
  serveGrpc(server, protos, tables.media, services.media, keys)
  serveGrpc(server, protos, tables.frames, services.frames, keys)
  serveGrpc(server, protos, tables.annotations, services.annotations, keys)
  serveGrpc(server, protos, tables.requests, services.requests, keys)
  serveGrpc(server, protos, tables.webhooks, services.webhooks, keys)
  const port = await listen(server)
  onStop('gRPC server', () => server.forceShutdown())
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
  onStop('gRPC client', () => client.close())
  return {
    server: grpcService(client, protos, tables.server, keys),
    identity: grpcService(client, protos, tables.identity, keys),
    projects: grpcService(client, protos, tables.projects, keys),
    labels: grpcService(client, protos, tables.labels, keys),
    tasks: grpcService(client, protos, tables.tasks, keys),
    jobs: grpcService(client, protos, tables.jobs, keys),
    media: grpcService(client, protos, tables.media, keys),
    frames: grpcService(client, protos, tables.frames, keys),
    annotations: grpcService(client, protos, tables.annotations, keys),
    requests: grpcService(client, protos, tables.requests, keys),
    webhooks: grpcService(client, protos, tables.webhooks, keys),
  }
}

function listen(server: grpc.Server): Promise<number> {
  const credentials = grpc.ServerCredentials.createInsecure()
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })
}
