import { tables } from '@reticle/contracts'
import { s3Blobs } from '@reticle/kit/blob/s3'
import { startTraces } from '@reticle/kit/observe/traces'
import { s3Settings } from '@reticle/kit/process/settings'
import { connectGrpc } from '@reticle/kit/rpc/grpc/connect'
import { z } from 'zod'
import type { ConverterPorts } from './worker/serve-conversions.ts'

const pem = z
  .custom<Uint8Array>((value) => value instanceof Uint8Array)
  .transform((bytes) => Buffer.from(bytes))

/** Options of a converter in a cluster, for reaching the services and the objects. */
const wiringOptions = z.object({
  s3: s3Settings,
  keys: z.array(z.string()).readonly(),
  tls: z.object({ cert: pem, key: pem, ca: pem }).optional(),
  /** Base address of a collector of traces. */
  traces: z.string().optional(),
  addresses: z.object({ projects: z.string(), annotations: z.string(), webhooks: z.string() }),
})
export type ClusterWiringOptions = z.input<typeof wiringOptions>

/** Opens the ports of a converter in a cluster: gRPC to the services, S3 for the objects. */
export async function openConverterPorts(options: unknown): Promise<ConverterPorts> {
  const { s3, keys, tls, traces, addresses } = wiringOptions.parse(options)
  await startTraces({ service: 'jobs-worker', endpoint: traces })
  const projectsSvc = connectGrpc({ address: addresses.projects, keys, tls })
  const annotationsSvc = connectGrpc({ address: addresses.annotations, keys, tls })
  const webhooksSvc = connectGrpc({ address: addresses.webhooks, keys, tls })
  return {
    services: {
      tasks: projectsSvc.service(tables.tasks),
      projects: projectsSvc.service(tables.projects),
      guides: projectsSvc.service(tables.guides),
      jobs: projectsSvc.service(tables.jobs),
      labels: projectsSvc.service(tables.labels),
      media: projectsSvc.service(tables.media),
      storages: projectsSvc.service(tables.storages),
      annotations: annotationsSvc.service(tables.annotations),
      events: webhooksSvc.service(tables.events),
    },
    blobs: await s3Blobs(s3),
  }
}
