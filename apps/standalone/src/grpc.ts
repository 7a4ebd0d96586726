import { tables } from '@reticle/contracts'
import type { Services } from '@reticle/gateway'
import { connectGrpc } from '@reticle/kit/grpc/connect'
import { listenGrpc } from '@reticle/kit/grpc/listen'
import type { OnStop } from '@reticle/kit/lifecycle'

/** The same services, reached through gRPC on a loopback port: for measuring, and for stories over that transport. */
export async function overGrpc(
  services: Services,
  internalKey: string,
  onStop: OnStop,
): Promise<Services> {
  const keys = [internalKey]
  const host = '127.0.0.1'
  const server = await listenGrpc({ host, port: 0, keys, drainMs: 0 }, (serve) => {
    serve(tables.server, services.server)
    serve(tables.identity, services.identity)
    serve(tables.projects, services.projects)
    serve(tables.labels, services.labels)
    serve(tables.tasks, services.tasks)
    serve(tables.jobs, services.jobs)
    serve(tables.media, services.media)
    serve(tables.frames, services.frames)
    serve(tables.annotations, services.annotations)
    serve(tables.requests, services.requests)
    serve(tables.webhooks, services.webhooks)
  })
  server.setServing(true)
  onStop('gRPC server', server.stop)
  const { service, close } = connectGrpc({ address: `${host}:${server.port}`, keys })
  onStop('gRPC client', close)
  return {
    server: service(tables.server),
    identity: service(tables.identity),
    projects: service(tables.projects),
    labels: service(tables.labels),
    tasks: service(tables.tasks),
    jobs: service(tables.jobs),
    media: service(tables.media),
    frames: service(tables.frames),
    annotations: service(tables.annotations),
    requests: service(tables.requests),
    webhooks: service(tables.webhooks),
  }
}
